// The keyless signatures that came with a bundle, and a trusted root → which of them are proven.

import { turnsOf } from '../io/wait/breathe.ts'
import type { KeylessFound } from '../model/attestation.ts'
import type { CertificateFacts, KeylessFinding, TrustedRoot } from '../model/keyless.ts'
import { KEYLESS_LIMITS } from '../model/limits.ts'
import { printable } from '../text/printable.ts'
import type { IdentityTexts } from '../trust-policy/identity-members.ts'
import type { Foreseeing } from './effect.ts'

/** Keyless signatures of one bundle, proven or not. */
export interface Proofs {
  /** The name of the bundle. */
  readonly label: string
  readonly root: TrustedRoot
  readonly list: readonly KeylessFinding[]
  /** Why there may be more. */
  readonly problem?: string | undefined
}

/** What came with it: in the file of attestations, or attached where it is stored. */
export function keylessWith({ candidate, attested }: Foreseeing): KeylessFound | undefined {
  return (attested ?? candidate.added?.attestations)?.keyless
}

/** Empty where none came. @param typed only these are asked for, so that strangers cannot crowd the right one out */
export async function proofsOf(
  bundle: Foreseeing,
  root: TrustedRoot,
  typed: Pick<IdentityTexts, 'issuer' | 'repository_id' | 'email' | 'subject'>,
  signal: AbortSignal | undefined,
): Promise<Proofs> {
  const { candidate } = bundle
  const { label } = candidate
  const found = keylessWith(bundle)
  if (found === undefined) return { label, root, list: [] }
  const { readKeyless } = await import('./keyless/read-keyless.ts')
  const { proveSigners } = await import('./keyless/prove-keyless.ts')
  const prover = await import('../sigstore/prove.ts')
  const authorities = prover.authoritiesOf(root)
  if (authorities === undefined) throw new TypeError('a root that was read names authorities')
  const isAsked = (facts: CertificateFacts) => {
    const is = { ...facts, subject: facts.uri }
    return (['issuer', 'repository_id', 'email', 'subject'] as const).every(
      name => typed[name] === undefined || is[name] === typed[name],
    )
  }
  const turn = turnsOf(`reading the keyless signatures of "${label}"`, signal)
  const by = { blake3: root.blake3, authorities }
  const list = await proveSigners(readKeyless(found, candidate), by, prover, isAsked, turn)
  return { label, root, list, problem: found.problem?.message }
}

export function isProven({ proven }: KeylessFinding, { root }: Proofs): boolean {
  const is = proven.get(root.blake3)
  return is !== undefined && 'proof' in is
}

/** For a refusal. */
export function noneProven({ label, list, root, problem }: Proofs): readonly [state: string, hint: string] {
  const [first] = list
  if (first === undefined)
    return [
      `no keyless signature of "${label}" came with it that fits`,
      'Take the file of attestations along, or name it with `attestations`; or name the key of the signer',
    ]
  const is = first.proven.get(root.blake3)
  const why = is !== undefined && 'problem' in is ? is.problem : (first.problem ?? 'not verified')
  const which =
    list.length === 1
      ? `the keyless signature of "${label}" is not proven`
      : `none of the ${list.length} keyless signatures of "${label}" is proven`
  const more =
    list.length > KEYLESS_LIMITS.verified ? `, and at most ${KEYLESS_LIMITS.verified} are verified` : ''
  const unread = problem === undefined ? '' : `; not all were read: ${problem}`
  return [
    `${which}${more} (${first.where}: ${printable(why.replace(/^not proven: /, ''), 200)})${unread}`,
    'Name the trusted root of the authorities that the signer uses; and narrow the choice with `issuer` and `repository_id`',
  ]
}
