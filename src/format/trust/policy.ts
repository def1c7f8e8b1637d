// trust-policy.toml → TrustPolicy, or every reason why it decides nothing. A closed document: unknown keys are errors (docs/spec/trust-policy.md).
import type { Document, Pointer } from '../../model/document.ts'
import type { Rules, TrustPolicy } from '../../model/trust.ts'
import { isUtcSecond } from '../signature/envelope.ts'
import { type Table, type TableProblem, TableReader } from '../toml/closed-table.ts'
import { maySign, readAnchors } from './anchors.ts'
import { readRequire } from './requirements/index.ts'
import { readRevoked } from './revoked.ts'
import { readRule } from './rule-fields/index.ts'

export type ReadTrustPolicy =
  | { readonly ok: true; readonly policy: TrustPolicy }
  | { readonly ok: false; readonly problems: readonly TableProblem[] }

export function readTrustPolicy(document: Document): ReadTrustPolicy {
  const reader = new TableReader(document)
  const root = document.value as Table
  reader.closed(root, ['anchors', 'rules', 'require', 'revoked', 'valid_until'], [])
  const validUntil = readEnd(reader, root['valid_until'])
  const anchors = readAnchors(reader, root['anchors'])
  const names = new Set(anchors.map(({ name }) => name))
  const signers = new Set(anchors.filter(maySign).map(({ name }) => name))
  const rules = new Map<string, Rules>()
  for (const [name, value] of Object.entries(reader.table(root['rules'], ['rules']))) {
    if (!names.has(name)) reader.wrong(['rules', name], `${name.slice(0, 60)} is no anchor`, 'key')
    else if (!signers.has(name))
      reader.wrong(['rules', name], `${name} only attests, so it grants nothing`, 'key')
    rules.set(name, readRules(reader, value, ['rules', name]))
  }
  const require =
    root['require'] === undefined ? undefined : readRequire(reader, document, root['require'], anchors)
  const revoked = readRevoked(reader, root['revoked'])
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems }
  return { ok: true, policy: { validUntil, anchors, rules, require, ...revoked } }
}

function readEnd(reader: TableReader, value: unknown): string | undefined {
  const end = reader.text(value, ['valid_until'])
  if (end === undefined || isUtcSecond(end)) return end
  reader.wrong(['valid_until'], 'it must be a UTC second, as "2027-11-20T00:00:00Z"')
  return undefined
}

/** In a list the agents decide which rule applies, so that it is always exactly one. */
function readRules(reader: TableReader, value: unknown, at: Pointer): Rules {
  if (!Array.isArray(value)) return readRule(reader, value, at)
  if (value.length === 0) reader.wrong(at, 'a list of rules is not empty')
  const seen = new Set<string>()
  return value.map((one: unknown, index) => {
    const rule = readRule(reader, one, [...at, index])
    if (rule.agents === undefined)
      reader.wrong([...at, index], 'in a list each rule names its agents: agents = ["…"]')
    for (const agent of new Set(rule.agents)) {
      if (seen.has(agent))
        reader.wrong([...at, index, 'agents'], `${agent} is in another rule of the list already`)
      seen.add(agent)
    }
    return rule
  })
}
