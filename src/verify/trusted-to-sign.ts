// A bundle judged under the policies of this host → what is signed of it. The border: what others signed becomes what this house signed,
// so nothing is waived here, and the very manifest and statement that were judged are handed on.

import type { SoundBundle } from '../model/bundle.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { PolicyContent } from '../model/policy-content.ts'
import type { Report } from '../model/report.ts'
import type { PolicySource } from '../model/trust.ts'
import { floorsFor } from '../trust-policy/floors.ts'
import { manifestDigestOf, referenceText } from '../version/reference.ts'
import type { Examination } from './judge-candidate.ts'
import type { LocksGiven } from './lock-given.ts'
import { NotVerifiedError } from './not-verified.ts'

/** Sign only what is trusted on this host: what the verdict depends on beside the bytes. */
export interface TrustedOnly {
  /** In place of `~/.runloop`: policy, marks and overrides of this user; false for none. */
  readonly home?: string | false | undefined
  /** In place of the user's own policy: a path, or what was read already. */
  readonly trustPolicy?: string | PolicySource | PolicyContent | undefined
  readonly locks?: LocksGiven | undefined
}

export interface Trusted {
  readonly bundle: SoundBundle
  readonly report: Report
  readonly identity: string
  /** The statement that was judged, which is what is signed. */
  readonly payload?: Uint8Array | undefined
}

/** @throws RlpError NOT_VERIFIED unless it is trusted, and something on this host says which version is meant; as reading fails */
export function trustedToSign(
  { candidate, expect, trust, verification: { report, agent, bundle, payload } }: Examination,
  { locks = [] }: TrustedOnly,
): Trusted {
  if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
  if (report.verdict !== 'trusted' || !bundle || !agent || report.identity === null)
    throw new NotVerifiedError(report, 'sign')
  const isExact = expect !== 'any' && expect.identity !== undefined
  const isMarked = 'marks' in trust.marks && trust.marks.marks.length > 0
  const reference = report.agent === null ? '' : referenceText(report.agent)
  const hasFloor = trust.policies.some(({ policy }) => policy && floorsFor(policy, reference).length > 0)
  // Without any of them a store could hand out an old version that was trusted once, and have it signed anew.
  if (locks.length === 0 && !isExact && !isMarked && !hasFloor)
    throw new RlpError(
      'NOT_VERIFIED',
      `Cannot sign "${report.target}": it is trusted, and nothing on this host says which version of ${report.agent?.name} is the current one`,
      {
        hint: 'Look at it with rlp agent inspect, then expect blake3: and its identity, or name a lock that pins it. An agent that is installed here needs neither',
      },
    )
  const identity = manifestDigestOf(report.identity)
  return { bundle: { ...candidate, agent }, report, identity, payload }
}

/** What is asked of signing, as a caller names it. */
export interface SigningAsked {
  readonly ifTrusted?: boolean | undefined
  readonly notAfter?: string | undefined
  readonly renew?: string | undefined
  readonly expect?: string | undefined
  readonly lock?: unknown
  readonly home?: unknown
  readonly trustPolicy?: unknown
}

/**
 * @param spelt how the caller writes an option: a program reads no flags
 * @throws UsageError for what would sign something else than was judged, and for what says something of a judgement that is not asked for
 */
export function refuseLooser(asked: SigningAsked, spelt: (option: string) => string): void {
  const [ifTrusted, lock] = [spelt('ifTrusted'), spelt('lock')]
  if (asked.ifTrusted !== true) {
    // A renewal is refused by policies and marks, too.
    const judging =
      asked.renew === undefined ? (['lock', 'home', 'trustPolicy'] as const) : (['lock'] as const)
    const unused = judging.find(name => asked[name] !== undefined)
    if (unused === undefined) return
    throw new UsageError(`Cannot use ${spelt(unused)} without ${ifTrusted}: signing alone judges nothing`, {
      field: unused,
      hint: `${ifTrusted} verifies first, and signs only what is trusted`,
    })
  }
  for (const option of (['notAfter', 'renew'] as const).filter(name => asked[name] !== undefined))
    throw new UsageError(
      `Cannot use ${spelt(option)} with ${ifTrusted}: it would sign another statement than was judged`,
      { field: option, hint: 'Leave it out: what others have signed is signed as it is' },
    )
  if (asked.expect === 'any')
    throw new UsageError(`Cannot use ${ifTrusted} where any agent is expected`, {
      field: 'expect',
      hint: `Name the agent with ${spelt('expect')}, or what was reviewed with ${lock}`,
    })
}
