// Which bundle a statement is about, as a caller of the library says it, and how that bundle is judged.
import type { Target } from '../io/find/find-agents.ts'
import { type LongOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import type { Judging } from '../verify/examine.ts'
import { judgingGiven, type TrustOptions } from '../verify/input.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { type AttestOptions, attestingGiven, refuseHalfGiven } from './attesting-given.ts'
import { type SignStated, stateSigned } from './state-signed.ts'
import { examineFor, type Verified } from './verified.ts'

/** Which bundle a statement may be about. */
export interface PinOptions {
  /** Locks that the bundle has to be as pinned in (docs/lock.md). */
  readonly lock?: OneOrMore<PathGiven>
}

/** Absolute. @throws UsageError for an empty list */
export function locksNamed({ lock }: PinOptions, io: Setting): readonly string[] {
  return eachOf(lock, 'lock').map(one => pathGiven(one, io, 'use lock'))
}

/** Signs as the options say, if they name a signer. */
export function signingGiven(given: AttestOptions, io: Setting): SignStated {
  return async stated => stateSigned(stated, await attestingGiven(given, io), given.attest, io)
}

/** How the bundle is judged that a statement is about, and who signs it. */
export interface StateOptions extends LongOptions, TrustOptions, AttestOptions, PinOptions {
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: string
}

/** @throws NotVerifiedError; RlpError as reading and the options are */
export async function verifiedGiven(
  target: Target,
  options: StateOptions,
  doing: string,
  io: Setting,
): Promise<Verified> {
  const examined = await examineFor(target, judgedHow(options, io))
  if (examined.is === 'refused') throw examined.unread ?? new NotVerifiedError(examined.report, doing)
  return examined.verified
}

/** @throws UsageError for options that need each other */
export function judgedHow(options: StateOptions, io: Setting): Judging {
  refuseHalfGiven(options)
  const { expect, keyless } = options
  return {
    ...judgingGiven(options, io),
    expect,
    unsigned: keyless !== undefined,
    locks: locksNamed(options, io),
  }
}
