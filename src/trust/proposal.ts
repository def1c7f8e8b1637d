// The keyless signatures that came with a bundle, and a trusted root → the identity that a person lets count. Only what is proven is proposed: anybody can
// put a certificate beside a bundle.

import type { Identity } from '../model/anchor.ts'
import { RlpError } from '../model/error.ts'
import type { KeylessFinding } from '../model/keyless.ts'
import { printable, quoted } from '../text/printable.ts'
import { compareIdentity, fitsIdentity, proposedIdentity } from '../trust-policy/identity-fits.ts'
import { type IdentityTexts, identityProblems, identityRows } from '../trust-policy/identity-members.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import { isProven, noneProven, type Proofs } from './proofs.ts'

export interface IdentityProposal {
  readonly identity: Identity
  /** What a person has to know beside the members: sentences. */
  readonly said: readonly string[]
}

/**
 * The one identity that is proven, of those that fit what was typed; or what was typed, if that is all of an identity.
 * @throws RlpError NOT_VERIFIED if nothing is proven, NEEDS_ANSWER if there are several
 */
export function proposalFrom(proofs: Proofs, typed: IdentityTexts, name: string): IdentityProposal {
  const refuse = (state: string, hint: string, code: 'NOT_VERIFIED' | 'NEEDS_ANSWER' = 'NOT_VERIFIED') =>
    new RlpError(code, `Cannot propose an identity for "${name}": ${state}`, { hint })
  const { label, list } = proofs
  const proven = list.filter(one => isProven(one, proofs))
  if (proven.length === 0) throw refuse(...noneProven(proofs))
  const proposals = proven.map(one => ({ one, is: proposedIdentity(one.facts) }))
  const wanted = new Map(
    proposals.flatMap(({ one, is }) =>
      'identity' in is && hasAll(is.identity, typed) ? [[identityString(is.identity), { one, ...is }]] : [],
    ),
  )
  const [first, ...others] = wanted.values()
  if (first !== undefined && others.length === 0)
    return { identity: first.identity, said: saidOf(first.one, first.identity, proofs) }
  const byHand = wholeIdentity(typed)
  const fitting = byHand && proven.find(({ facts }) => fitsIdentity(byHand, facts))
  if (byHand !== undefined && fitting !== undefined)
    return { identity: byHand, said: saidOf(fitting, byHand, proofs) }
  if (first !== undefined) {
    const all = [...wanted.values()].map(({ identity }) => inWords(identity)).slice(0, MOST_LISTED)
    throw refuse(
      `${wanted.size} identities have signed "${label}": ${all.join('; ')}`,
      'Choose one by its members: `issuer` and `repository_id`, and `workflow` or `ref`; or `email`, or `subject`',
      'NEEDS_ANSWER',
    )
  }
  const [why] = proposals.flatMap(({ is }) => ('problem' in is ? is.problem : []))
  if (why !== undefined) throw refuse(`${why}, in the one that is proven of "${label}"`, BY_HAND)
  const all = proposals.flatMap(({ is }) => ('identity' in is ? inWords(is.identity) : []))
  throw refuse(
    `no proven signature of "${label}" is by what was typed; proven: ${all.slice(0, MOST_LISTED).join('; ')}`,
    'Correct the options, or leave them out',
  )
}

const MOST_LISTED = 8
const BY_HAND = 'Ask the signer how the bundle was signed. An identity is written by hand with `identity`'

/** @throws RlpError NOT_VERIFIED unless a proven signature is by this identity */
export function assertSignedBy(identity: Identity, proofs: Proofs, name: string): void {
  const proven = proofs.list.filter(one => isProven(one, proofs))
  if (proven.some(({ facts }) => fitsIdentity(identity, facts))) return
  const refuse = (state: string, hint: string) =>
    new RlpError('NOT_VERIFIED', `Cannot let "${name}" grant what "${proofs.label}" asks: ${state}`, { hint })
  const [nearest] = proven
  if (nearest === undefined) throw refuse(...noneProven(proofs))
  const other = compareIdentity(identity, nearest.facts).find(({ fits }) => !fits)
  const found = other?.found === undefined ? 'nothing' : quoted(other.found, 200)
  throw refuse(
    `it is not signed by the identity of ${name}; the ${other?.member} of its signature is ${found}`,
    'Name the signer by whom it is signed; rlp trust explain shows each member',
  )
}

function hasAll(identity: Identity, typed: IdentityTexts): boolean {
  return identityRows({ issuer: identity.issuer, ...typed }).every(([name, text]) => identity[name] === text)
}

/** Undefined if something is missing. */
function wholeIdentity({ issuer, ...members }: IdentityTexts): Identity | undefined {
  if (issuer === undefined) return undefined
  const identity = { issuer, ...members }
  const names = identityRows(identity).map(([name]) => name)
  return identityProblems(names, identity).length === 0 ? identity : undefined
}

function inWords(identity: Identity): string {
  return identityRows(identity)
    .map(([name, text]) => `${name} ${printable(text, 200)}`)
    .join(', ')
}

function saidOf({ where, facts, proven }: KeylessFinding, identity: Identity, { root }: Proofs): string[] {
  const is = proven.get(root.blake3)
  const at = is !== undefined && 'proof' in is ? `${where} is proven: signed at ${is.proof.time}` : where
  if (identity.repository_id === undefined)
    return [at, 'Anybody can sign. Compare it with what the signer gave you']
  return [
    at,
    `${printable(facts.source ?? '', 200)} is what its repository is called today. Names are for display only: ids count`,
    'Anybody can sign. Compare the ids with those that the signer gave you',
    ...(identity.ref?.endsWith('*') ? [`ref ${identity.ref} lets every later tag count that begins so`] : []),
  ]
}
