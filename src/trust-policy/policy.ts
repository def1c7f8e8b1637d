// trust-policy.toml → TrustPolicy, or every reason why it decides nothing. A closed document: unknown keys are errors (docs/spec/trust-policy.md).

import type { Document } from '../model/document.ts'
import { ownMembers } from '../model/own.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { type Table, type TableProblem, TableReader } from '../toml/closed-table.ts'
import { readAnchors } from './anchors.ts'
import { readFloors } from './floors.ts'
import { namedFor, readGroups } from './groups.ts'
import { readRequire } from './requirements/index.ts'
import { readRevoked } from './revoked.ts'
import { readAllRules } from './rules.ts'
import { readTrustedRoot, refuseRootless } from './trusted-root.ts'

export type ReadTrustPolicy =
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
  const rules = readAllRules(reader, root['rules'], { byName, groups, signing })
  const require = readRequire(reader, root['require'], {
    anchors: byName,
    groups,
    signing,
    attesting: namedFor('attest', byName, groups),
  })
  const floors = readFloors(reader, root['floors'])
  const revoked = readRevoked(reader, root['revoked'])
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems }
  return {
    ok: true,
    policy: { validUntil, trustedRoot, anchors, groups, rules, require, floors, ...revoked },
  }
}
