// Identities that one certificate could fit: it would count for two anchors (docs/spec/trust-policy.md, K-16).
import { type Anchor, IDENTITY_MEMBERS, type Identity, type IdentityMember } from '../model/anchor.ts'
import type { TableReader } from '../toml/closed-table.ts'

export function refuseAlike(reader: TableReader, anchors: readonly Anchor[]): void {
  const alike = new Map<string, { readonly name: string; readonly identity: Identity }[]>()
  for (const { name, identity } of anchors) {
    if (identity === undefined) continue
    const key = nameOf(identity)
    const others = alike.get(key) ?? []
    const other = others.find(one => couldBeOne(one.identity, identity))
    if (other !== undefined)
      reader.wrong(
        ['anchors', name],
        `one certificate could fit it and ${other.name}: give them different refs or environments`,
      )
    others.push({ name, identity })
    alike.set(key, others)
  }
}

/** Whether one certificate could fit both. */
export function areAlike(one: Identity, two: Identity): boolean {
  return nameOf(one) === nameOf(two) && couldBeOne(one, two)
}

function nameOf({ issuer, repository_id, workflow, email, subject }: Identity): string {
  return JSON.stringify([issuer, repository_id, workflow, email, subject])
}

/** What an identity means by a trigger that it does not name. */
export const USUAL_TRIGGERS = ['push', 'release', 'schedule', 'workflow_dispatch'] as const

function couldBeOne(one: Identity, two: Identity): boolean {
  return IDENTITY_MEMBERS.every(member => areCompatible(member, one[member], two[member]))
}

function areCompatible(member: IdentityMember, one: string | undefined, two: string | undefined): boolean {
  if (one === two) return true
  if (member === 'trigger')
    return USUAL_TRIGGERS.some(usual => usual === (one ?? two)) && (one === undefined || two === undefined)
  if (one === undefined || two === undefined) return true
  return member === 'ref' && (matches(one, two) || matches(two, one))
}

/** Whether a ref, perhaps with a `*` at its end, has all that another one has. */
function matches(pattern: string, ref: string): boolean {
  return pattern.endsWith('*') ? ref.replace(/\*$/, '').startsWith(pattern.slice(0, -1)) : pattern === ref
}
