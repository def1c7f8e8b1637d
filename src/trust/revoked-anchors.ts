// Finds the anchors that a key or an identity would revoke, before it is written into the policy. A revocation that
// names no anchor looks like any other, and revokes no signer. Pure.

import { type Anchor, IDENTITY_MEMBERS, type Identity } from '../model/anchor.ts'
import { UsageError } from '../model/error.ts'
import { quoted } from '../text/printable.ts'
import { type IdentityName, identityProblems, identityRows } from '../trust-policy/identity-members.ts'
import { identityString, isMeantAsIdentity, readIdentityString } from '../trust-policy/identity-string.ts'

/** The members of an identity as rows of name and text, its issuer first, in the order of its string. */
type Rows = readonly (readonly [name: IdentityName, text: string])[]

/**
 * Checks that a text names identities as `[revoked]` compares them: by their first members.
 * @throws UsageError if it skips a member of an identity of the policy, or if no identity can begin so
 */
export function refuseSkipped(what: string, anchors: readonly Anchor[]): void {
  const asked = readIdentityString(what)
  const refuse = (state: string, hint: string) =>
    new UsageError(`Cannot revoke ${quoted(what, 200)}: ${state}`, { field: 'what', hint })
  if (asked === undefined)
    throw refuse(
      'it is no identity in the spelling in which identities are compared',
      'Copy it from rlp trust list, in quotes; a beginning of it ends after a whole member',
    )
  const rows = identityRows(asked)
  const named = identitiesOf(anchors)
  // Two identities may differ in a member that only one has. The whole string of the other one is meant as that.
  if (named.some(({ identity }) => identityString(identity) === what)) return
  for (const { name, identity } of named) {
    const beginning = identityRows(identity).slice(0, 1 + lastPlace(identity, rows))
    const skipped = beginning.filter(([member]) => !rows.some(([one]) => one === member))
    if (skipped.length === 0 || !rows.every(row => hasRow(identity, row))) continue
    const whole = identityString(Object.fromEntries(beginning) as unknown as Identity)
    throw refuse(
      `it skips ${skipped.map(([member]) => member).join(', ')}, which ${name} has`,
      `Name its members without a gap: rlp trust revoke '${whole}'`,
    )
  }
  const problem = problemOfBeginning(asked)
  if (problem !== undefined)
    throw refuse(
      `no identity begins so: ${problem}`,
      'Copy the identity from rlp trust list, in quotes; a beginning of it ends after a whole member',
    )
}

/** A sentence for a revocation that names no anchor: the first thing that none of them has. Undefined if it names one. */
export function namesNoAnchor(what: readonly string[], anchors: readonly Anchor[]): string | undefined {
  const none = 'It names no anchor of this policy: no'
  for (const one of what) {
    if (one.startsWith('blake3:')) continue
    if (!isMeantAsIdentity(one)) {
      if (!anchors.some(({ keys }) => keys.includes(one))) return `${none} anchor has this key`
      continue
    }
    let left = identitiesOf(anchors).map(({ identity }) => identityRows(identity))
    for (const [place, [name, text]] of identityRows(readIdentityString(one)).entries()) {
      const next = left.filter(rows => rows[place]?.[0] === name && rows[place]?.[1] === text)
      if (next.length === 0)
        return `${none} identity here${place > 1 ? ' that begins so' : ''} has ${name} = ${quoted(text, 200)}`
      left = next
    }
  }
  return undefined
}

function identitiesOf(anchors: readonly Anchor[]) {
  return anchors.flatMap(({ name, identity }) => (identity === undefined ? [] : [{ name, identity }]))
}

/** What keeps every identity from beginning so; undefined if one can, with more members after these. */
function problemOfBeginning(asked: Identity): string | undefined {
  const said = IDENTITY_MEMBERS.filter(member => asked[member] !== undefined)
  const last = IDENTITY_MEMBERS.findLastIndex(member => asked[member] !== undefined)
  const more = said[0] !== 'repository_id' ? [] : IDENTITY_MEMBERS.slice(last + 1).filter(isOfPipeline)
  const rest = Object.fromEntries(more.map(member => [member, 'any']))
  return identityProblems(['issuer', ...said, ...more], { ...asked, ...rest })[0]?.message
}

function isOfPipeline(member: IdentityName): boolean {
  return member !== 'email' && member !== 'subject'
}

function hasRow(identity: Identity, [name, text]: Rows[number]): boolean {
  return identity[name] === text
}

/** Where in an identity the last of these members is. */
function lastPlace(identity: Identity, rows: Rows): number {
  return identityRows(identity).findIndex(([name]) => name === rows.at(-1)?.[0])
}
