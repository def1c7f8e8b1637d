// The functions of the library that state something about a bundle: provenance, bill of materials, verification summary, or any other
// type.

import type { Target } from '../io/find/search-folders.ts'
import { type LongOptions, type PathGiven, pathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import type { Judging } from '../verify/examine.ts'
import { judgingInput, type TrustOptions } from '../verify/input.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { type StatedPredicate, statePredicate } from './any-statement.ts'
import {
  type AttestOptions,
  attestingGiven,
  keyNotGiven,
  refuseHalfGiven,
  type SignStated,
  stateSigned,
} from './attest.ts'
import { LISTING, type StatedBom, stateBom } from './bom.ts'
import {
  type BuildStated,
  buildFacts,
  refuseNoUri,
  type StatedProvenance,
  stateProvenance,
} from './provenance.ts'
import { type StatedSummary, stateSummary } from './summary.ts'
import { examineFor, type Verified } from './verified.ts'

export interface AttestStatementOptions
  extends LongOptions,
    PinOptions,
    Pick<AttestOptions, 'key' | 'passphrase' | 'keyless' | 'attest'> {
  /** The predicate type, a URI. */
  readonly type: string
  /** What is stated: a JSON object, or the bytes of one, which are signed as they are. */
  readonly predicate: Readonly<Record<string, unknown>> | Uint8Array
}

/**
 * States anything about a sound bundle, signed: a scan, a test, an approval.
 *
 * @example
 * await attest('dist/mailer-0.1.0.agent.bundle', { type: 'https://scan.example/v1', predicate: { findings: 0 }, key: 'ci' })
 *
 * @throws {@link RlpError} `USAGE` for a type that is no URI or that only rlp may state, and for what is no JSON object; `LIMIT_EXCEEDED`;
 * `NOT_VERIFIED` for a bundle that is not sound, or not as `lock` pins it; `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; as `sign` for the
 * key; `CANCELLED`
 */
export async function attestPath(
  bundle: PathGiven,
  options: AttestStatementOptions,
): Promise<StatedPredicate> {
  return runVerb('attest', options, async (given, io) => {
    const target = targetGiven(bundle, io, 'attest')
    const { type, predicate, attest: file, keyless } = given
    refuseHalfGiven(given)
    if (given.key === undefined && keyless === undefined) throw keyNotGiven()
    const locks = locksNamed(given, io)
    const bytes = predicate instanceof Uint8Array ? predicate : Buffer.from(JSON.stringify(predicate) ?? '')
    const attesting = async () => {
      const signer = await attestingGiven(given, io)
      if (signer === undefined) throw keyNotGiven()
      return signer
    }
    return statePredicate(
      target,
      { type: String(type), predicate: bytes, label: 'predicate' },
      { locks, unsigned: keyless !== undefined, attesting, file },
      io,
    )
  })
}

export interface ProvenanceOptions extends LongOptions, AttestOptions, BuildStated, PinOptions {}

/**
 * States who built a bundle, and from what: by the options, and by what a pipeline says in its environment.
 *
 * @example
 * const stated = await provenance('dist/mailer-0.1.0.agent.bundle', { builder: 'https://ci.example/1' })
 * console.log(stated.provenance)
 *
 * @throws {@link RlpError} `USAGE` without a builder and for what is no URI; `NOT_VERIFIED` for a bundle that is not sound, or not as `lock`
 * pins it; `LOCK_UNUSABLE`; `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; as `sign` for the key; `CANCELLED`
 */
export async function provenancePath(
  bundle: PathGiven,
  options: ProvenanceOptions = {},
): Promise<StatedProvenance> {
  return runVerb('provenance', options, async (given, io) => {
    refuseHalfGiven(given)
    const target = targetGiven(bundle, io, 'state the provenance of')
    const facts = await buildFacts(given, io.env, given.time)
    const how = { locks: locksNamed(given, io), unsigned: given.keyless !== undefined }
    return stateProvenance(target, facts, how, signingGiven(given, io), io)
  })
}

/**
 * Lists what is in a sound bundle: files, wasm imports, programs, hosts, secrets by name, capabilities. Whether its signers are trusted is
 * not asked: the bill says which verdict it has.
 *
 * @example
 * const { bom } = await sbom('dist/mailer-0.1.0.agent.bundle')
 * console.log(JSON.stringify(bom))
 *
 * @throws {@link NotVerifiedError} when it is not sound, not the agent that is expected, or not as `lock` pins it; then there is no bill
 * @throws {@link RlpError} `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; `LIMIT_EXCEEDED` where the file of attestations would be too
 * large; as `sign` for the key; `USAGE`; `CANCELLED`
 */
export async function sbomPath(bundle: PathGiven, options: StateOptions = {}): Promise<StatedBom> {
  return runVerb('sbom', options, async (given, io) => {
    const target = targetGiven(bundle, io, LISTING)
    return stateBom(target, judgedHow(given, io), { time: given.time }, signingGiven(given, io))
  })
}

export interface SummaryOptions extends StateOptions {
  /** Who has checked it: a URI. */
  readonly verifier: string
  /** What was checked, as those know it who will ask: a URI. */
  readonly resource: string
}

/**
 * Verifies a bundle, and states that it is trusted. There is no summary of anything else.
 *
 * @example
 * const { summary } = await summarize('dist/mailer-0.1.0.agent.bundle', {
 *   verifier: 'https://ci.example/verifier',
 *   resource: 'https://registry.example/agents/mailer',
 * })
 * console.log(summary)
 *
 * @throws {@link NotVerifiedError} when its verdict is not `trusted`
 * @throws {@link RlpError} as `sbom`
 */
export async function summaryPath(bundle: PathGiven, options: SummaryOptions): Promise<StatedSummary> {
  return runVerb('summarize', options, async (given, io) => {
    const { verifier, resource, time } = given
    refuseNoUri('verifier', verifier)
    refuseNoUri('resource', resource)
    const target = targetGiven(bundle, io, 'attest')
    const verified = await verifiedGiven(target, given, 'attest', io)
    if (verified.report.verdict !== 'trusted') throw new NotVerifiedError(verified.report, 'attest')
    return stateSummary(target, verified, { verifier, resource, time }, signingGiven(given, io))
  })
}

/** Which bundle a statement may be about. */
export interface PinOptions {
  /** Locks that the bundle has to be as pinned in (docs/lock.md). */
  readonly lock?: OneOrMore<PathGiven>
}

/** Absolute. @throws UsageError for an empty list */
function locksNamed({ lock }: PinOptions, io: Setting): readonly string[] {
  return eachOf(lock, 'lock').map(one => pathGiven(one, io, 'use lock'))
}

/** Signs as the options say, if they name a signer. */
function signingGiven(given: AttestOptions, io: Setting): SignStated {
  return async stated => stateSigned(stated, await attestingGiven(given, io), given.attest, io)
}

/** How the bundle is judged that a statement is about, and who signs it. */
export interface StateOptions extends LongOptions, TrustOptions, AttestOptions, PinOptions {
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: string
}

/** @throws NotVerifiedError; RlpError as reading and the options are */
async function verifiedGiven(
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
function judgedHow(options: StateOptions, io: Setting): Judging {
  refuseHalfGiven(options)
  const { expect, keyless } = options
  return {
    ...judgingInput(options, io),
    expect,
    unsigned: keyless !== undefined,
    locks: locksNamed(options, io),
  }
}
