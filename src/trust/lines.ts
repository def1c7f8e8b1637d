// Turns a change of a trust policy into edits of its text.
import { valueAt } from '../json/pointer.ts'
import type { Document } from '../model/document.ts'
import { ownMembers } from '../model/own.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { doubleQuoted } from '../text/double-quoted.ts'
import type { TomlChange } from '../toml/edit.ts'
import { listLiteral, tableLiteral } from '../toml/write.ts'
import { anchorEntries } from '../trust-policy/anchor-fields/index.ts'
import { requirementEntries } from '../trust-policy/requirements/index.ts'
import { ruleChanges, ruleEntries } from '../trust-policy/rule-fields/index.ts'
import type { TrustChange } from './change.ts'
import { placedRules } from './rule.ts'

/** The changed places of a policy, and their new values. */
export function editsFor(
  document: Document,
  before: TrustPolicy,
  after: TrustPolicy,
  change: TrustChange,
): TomlChange[] {
  switch (change.do) {
    case 'add':
      return [
        ...rootEdits(before, after),
        ...anchorEdits(document, before, after, change.name),
        ...ruleEdits(before, after, change.name),
      ]
    case 'remove':
      return [
        { path: ['rules', change.name], remove: true },
        { path: ['anchors', change.name], remove: true },
      ]
    case 'group':
      return groupEdits(before, after, change.group.name)
    case 'require':
      return [{ path: ['require'], tables: [requirementEntries(change.entry)] }]
    case 'floor':
      return [{ path: ['floors', change.agents], set: change.version }]
    case 'revoke':
      return change.what.flatMap(what => revocationEdits(document, what, change))
  }
}

function anchorEdits(
  document: Document,
  before: TrustPolicy,
  after: TrustPolicy,
  name: string,
): TomlChange[] {
  const old = before.anchors.find(anchor => anchor.name === name)
  const now = after.anchors.find(anchor => anchor.name === name)
  const path = ['anchors', name]
  if (now === undefined) return []
  if (old === undefined) {
    const { key, ...more } = anchorEntries(now)
    const isPlain = Object.values(more).every(value => value === undefined)
    return [{ path, literal: isPlain && key !== undefined ? key : tableLiteral({ key, ...more }) }]
  }
  const added = now.keys.slice(old.keys.length)
  if (added.length === 0) return []
  const written = valueAt(document.value, path)
  if (typeof written === 'string') {
    return [{ path, literal: tableLiteral({ keys: listLiteral([written, ...added]) }) }]
  }
  const { key } = written as { readonly key?: string }
  if (key === undefined) return [{ path: [...path, 'keys'], append: added }]
  return [
    { path: [...path, 'key'], remove: true },
    { path: [...path, 'keys'], literal: listLiteral([key, ...added]) },
  ]
}

/** A root that is named is never changed by adding. */
function rootEdits(before: TrustPolicy, { trustedRoot }: TrustPolicy): TomlChange[] {
  if (trustedRoot === undefined || before.trustedRoot !== undefined) return []
  const { file, blake3 } = trustedRoot
  const literal = tableLiteral({ file: doubleQuoted(file), blake3: doubleQuoted(blake3) })
  return [{ path: ['sigstore', 'trusted_root'], literal }]
}

function groupEdits(before: TrustPolicy, after: TrustPolicy, name: string): TomlChange[] {
  const old = before.groups.find(group => group.name === name)
  const now = after.groups.find(group => group.name === name)
  if (now === undefined) return []
  const path = ['groups', name]
  const atLeast = String(now.atLeast)
  if (old === undefined)
    return [{ path, literal: tableLiteral({ of: listLiteral(now.of), at_least: atLeast }) }]
  const added = now.of.slice(old.of.length)
  return [
    ...(added.length === 0 ? [] : [{ path: [...path, 'of'], append: added }]),
    ...(old.atLeast === now.atLeast ? [] : [{ path: [...path, 'at_least'], literal: atLeast }]),
  ]
}

function ruleEdits(before: TrustPolicy, after: TrustPolicy, name: string): TomlChange[] {
  const old = before.rules.get(name)
  const rules = after.rules.get(name)
  if (rules === undefined) return []
  const path = ['rules', name]
  const known = old === undefined ? [] : placedRules(name, old)
  const now = placedRules(name, rules).map(({ rule }) => rule)
  const grown = known.flatMap(({ rule, at }, index) =>
    ruleChanges(rule, now[index] ?? rule).map(({ key, ...change }) => ({ path: [...at, key], ...change })),
  )
  const [first, ...more] = now.slice(known.length).map(ruleEntries)
  if (first === undefined) return grown
  if (old !== undefined) return [...grown, { path, tables: [first, ...more] }]
  return [{ path, literal: tableLiteral(first) }, ...(more.length === 0 ? [] : [{ path, tables: more }])]
}

function revocationEdits(
  document: Document,
  what: string,
  change: Extract<TrustChange, { do: 'revoke' }>,
): TomlChange[] {
  const { since, reason, replacedBy } = ownMembers(change)
  const entries = { since, reason, replaced_by: replacedBy }
  const path = ['revoked', what]
  if (valueAt(document.value, path) !== undefined) {
    return Object.entries(entries).flatMap(([key, value]) =>
      value === undefined ? [] : [{ path: [...path, key], set: value }],
    )
  }
  const quoted = Object.entries(entries).map(
    ([key, value]) => [key, value === undefined ? undefined : doubleQuoted(value)] as const,
  )
  return [{ path, literal: tableLiteral(Object.fromEntries(quoted)) }]
}
