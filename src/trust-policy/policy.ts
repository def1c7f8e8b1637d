// Reads trust-policy.toml, or lists every reason why it decides nothing (docs/spec/trust-policy.md). A closed document: unknown keys are
// errors. It is the host's own, so it may be larger than the documents of a bundle (K-3). The table [rules] (K-22 to K-32) is read here,
// the others in files of their own.

import { patternKey } from '../agent/agent-pattern.ts'
import type { Document, Pointer } from '../model/document.ts'
import { ownMembers } from '../model/own.ts'
import type { Rules, TrustPolicy } from '../model/trust.ts'
import { type Table, type TableProblem, TableReader } from '../toml/closed-table.ts'
import { namedFor, readAnchors, readGroups } from './anchors.ts'
import { readFloors } from './floors.ts'
import type { OfPolicy } from './requirements/field.ts'
import { readRequire } from './requirements/index.ts'
import { readRevoked } from './revoked.ts'
import { readRule } from './rule-fields/index.ts'
import { readTrustedRoot, refuseRootless } from './trusted-root.ts'

type ReadTrustPolicy =
  | { readonly ok: true; readonly policy: TrustPolicy }
  | { readonly ok: false; readonly problems: readonly TableProblem[] }

export function readTrustPolicy(document: Document): ReadTrustPolicy {
  const reader = new TableReader(document)
  const root = ownMembers(document.value as Table)
  const tables = ['anchors', 'groups', 'rules', 'require', 'floors', 'revoked', 'sigstore', 'valid_until']
  reader.closed(root, tables, [])
  const validUntil = reader.second(root['valid_until'], ['valid_until'])
  const anchors = readAnchors(reader, root['anchors'])
  const trustedRoot = readTrustedRoot(reader, root['sigstore'])
  refuseRootless(reader, anchors, trustedRoot)
  const byName = new Map(anchors.map(anchor => [anchor.name, anchor]))
  const groups = readGroups(reader, root['groups'], byName)
  const signing = namedFor('sign', byName, groups)
  const attesting = namedFor('attest', byName, groups)
  const named = { anchors: byName, groups, signing, attesting }
  const rules = readAllRules(reader, root['rules'], named)
  const require = readRequire(reader, root['require'], named)
  const floors = readFloors(reader, root['floors'])
  const revoked = readRevoked(reader, root['revoked'])
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems }
  return {
    ok: true,
    policy: { validUntil, trustedRoot, anchors, groups, rules, require, floors, ...revoked },
  }
}

function readAllRules(
  reader: TableReader,
  value: unknown,
  { anchors, groups, signing }: Pick<OfPolicy, 'anchors' | 'groups' | 'signing'>,
): ReadonlyMap<string, Rules> {
  const known = new Set([...anchors.keys(), ...groups.map(({ name }) => name)])
  const rules = new Map<string, Rules>()
  for (const [name, one] of Object.entries(reader.table(value, ['rules']))) {
    const at = ['rules', name]
    if (!known.has(name)) reader.wrong(at, `${name.slice(0, 60)} is no anchor`, 'key')
    else if (!signing.has(name)) reader.wrong(at, `${name} only attests, so it grants nothing`, 'key')
    rules.set(name, readRules(reader, one, at))
  }
  return rules
}

/** In a list the agents decide which rule applies, so that it is always exactly one. */
function readRules(reader: TableReader, value: unknown, at: Pointer): Rules {
  if (!Array.isArray(value)) return readRule(reader, value, at)
  if (value.length === 0) reader.wrong(at, 'a list of rules is not empty')
  const seen = new Map<string, string>()
  return value.map((one: unknown, index) => {
    const rule = readRule(reader, one, [...at, index])
    if (rule.agents === undefined)
      reader.wrong([...at, index], 'in a list each rule names its agents: agents = ["…"]')
    const own = new Map((rule.agents ?? []).map(agent => [patternKey(agent), agent]))
    for (const [key, agent] of own) {
      const other = seen.get(key)
      if (other !== undefined)
        reader.wrong(
          [...at, index, 'agents'],
          `${agent} is in another rule of the list already${other === agent ? '' : `, as ${other}`}`,
        )
      seen.set(key, agent)
    }
    return rule
  })
}
