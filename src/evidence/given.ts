// Which bundle a statement is about, as a caller of the library says it, and how that bundle is judged.
import type { Target } from '../io/find/find-agents.ts'
import { type LongOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import type { ExamineOptions } from '../verify/examine.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import { type TrustOptions, trustInput } from '../verify/trust-given.ts'
import { type AttestOptions, refuseHalfGiven } from './attesting-given.ts'
import { examineFor, examineSound, type Sound, type Verified } from './verified.ts'

/** Which bundle a statement may be about. */
export interface PinOptions {
  /** Locks that the bundle has to be as pinned in (docs/lock.md). */
  readonly lock?: OneOrMore<PathGiven>
}

/** Absolute. @throws UsageError for an empty list */
export function locksNamed({ lock }: PinOptions, io: Setting): readonly string[] {
  return eachOf(lock, 'lock').map(one => pathGiven(one, io, 'use lock'))
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
  refuseHalfGiven(options)
  const examined = await examineFor(target, judgedHow(options, io))
  if (examined.is === 'refused') throw examined.unread ?? new NotVerifiedError(examined.report, doing)
  return examined.verified
}

/** @throws NotVerifiedError; RlpError as reading and the options are */
export async function soundGiven(
  target: Target,
  options: StateOptions,
  doing: string,
  io: Setting,
): Promise<Sound> {
  refuseHalfGiven(options)
  return examineSound(target, judgedHow(options, io), doing)
}

function judgedHow(options: StateOptions, io: Setting): ExamineOptions {
  const { expect, keyless } = options
  return {
    ...trustInput(options),
    ...{ signal: io.signal, onProgress: io.onProgress, expect, unsigned: keyless !== undefined },
    locks: locksNamed(options, io),
  }
}
