// The verbs joined with the disk: what index.ts offers and what the commands call. Nothing here prints.
import { basename } from 'node:path'
import type { Limits } from './format/archive/header.ts'
import {
  type Expectation,
  expectationOfFileName,
  readExpectation,
  readReference,
  referenceText,
} from './format/reference.ts'
import { findOverrides } from './io/find-overrides.ts'
import { readBundle } from './io/read-bundle.ts'
import { readTrustPolicies } from './io/read-trust.ts'
import { marksIn } from './io/state.ts'
import { type LoadedBundle, load } from './load.ts'
import type { Candidate } from './model/bundle.ts'
import { RlpError } from './model/error.ts'
import type { OverrideFile } from './model/override.ts'
import type { Report } from './model/report.ts'
import type { TrustContext } from './model/trust.ts'
import { usable } from './overrides.ts'
import { overridesFor } from './verification/overrides.ts'
import { type Verification, verify } from './verify.ts'

export interface VerifyBundleOptions {
  /**
   * Which agent it has to be: `name`, `name@variant`, `name@range` or `name@variant@range`. `any` waives the question, and the report
   * says so.
   */
  readonly expect: string
  /** Accept a sound bundle without signature. */
  readonly allowUnsigned?: boolean
  /** Let the keys of development anchors count. */
  readonly allowDev?: boolean
  /** A trust policy in place of the user's own, `~/.runloop/trust-policy.toml`; the system's still applies. */
  readonly trustPolicy?: string
  readonly limits?: Limits
  readonly signal?: AbortSignal
}

/**
 * Verifies a bundle and reports; never throws because of what the bundle is.
 *
 * @param source path of a bundle file or unpacked bundle, or the bundle's bytes
 * @throws RlpError USAGE for an `expect` that is none, CANCELLED when `signal` aborts
 */
export async function verifyBundle(
  source: string | Uint8Array,
  options: VerifyBundleOptions,
): Promise<Report> {
  demandExpectation(options)
  return (await verifyWith(source, options, 'parsed')).report
}

/**
 * Verifies a bundle and hands out what it holds, from the very bytes that were verified.
 *
 * @example
 * const bundle = await loadBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer', allowUnsigned: true })
 * const wasm = bundle.bytes('bin/mailer.wasm')
 *
 * @throws {@link NotVerifiedError} when the verdict is not `trusted` (or `unsigned` with `allowUnsigned`); it carries the report
 */
export async function loadBundle(
  source: string | Uint8Array,
  options: VerifyBundleOptions,
): Promise<LoadedBundle> {
  demandExpectation(options)
  const { trust, verification } = await examine(source, options, 'all')
  const { report, bundle } = verification
  if (bundle === undefined) throw new NotVerifiedError(report)
  return load(bundle, usable(overridesFor(bundle.agent, trust)).sound)
}

/** Types are gone at run time, and a forgotten expectation must not mean "any". */
function demandExpectation(options: { readonly expect?: unknown } | undefined): void {
  if (typeof options?.expect === 'string') return
  throw new RlpError('USAGE', 'Cannot verify a bundle: expect is missing', {
    hint: 'Say which agent it has to be, or expect "any"',
  })
}

/** A bundle that may not be used, and why. */
export class NotVerifiedError extends RlpError {
  readonly report: Report
  constructor(report: Report) {
    const [reason] = report.reasons
    super('NOT_VERIFIED', `Cannot load "${report.target}": ${report.verdict}: ${reason?.message ?? ''}`, {
      ...(reason?.hint !== undefined && { hint: reason.hint }),
    })
    this.report = report
  }
  get verdict(): Report['verdict'] {
    return this.report.verdict
  }
}

/** What the commands can say beside the library's options. Without `expect` a bundle's file name makes one. */
export interface ExamineOptions extends Omit<VerifyBundleOptions, 'expect'> {
  readonly expect?: string | undefined
  readonly label?: string
  readonly allowDowngrade?: boolean
}

/** One pass of reading and judging, for the functions above and for the command. */
export async function verifyWith(
  source: string | Uint8Array,
  options: ExamineOptions,
  keep: 'parsed' | 'all',
): Promise<Verification> {
  return (await examine(source, options, keep)).verification
}

/** What one pass saw, for `install`: the same files and policies that the report is about. */
export interface Examination {
  readonly candidate: Candidate
  readonly trust: TrustContext
  readonly verification: Verification
}

/** @throws RlpError USAGE for an `expect` that is none, CANCELLED when `signal` aborts */
export async function examine(
  source: string | Uint8Array,
  options: ExamineOptions,
  keep: 'parsed' | 'all',
): Promise<Examination> {
  const expect = expectationOf(source, options.expect)
  const { limits, signal, label, allowUnsigned, allowDowngrade, allowDev = false, trustPolicy } = options
  const given = {
    ...(limits && { limits }),
    ...(signal && { signal }),
    ...(label !== undefined && { label }),
  }
  const candidate = await readBundle(source, { keep, ...given })
  const policies = await readTrustPolicies(trustPolicy === undefined ? {} : { given: trustPolicy })
  const about = {
    expect,
    ...(allowUnsigned !== undefined && { allowUnsigned }),
    ...(allowDowngrade !== undefined && { allowDowngrade }),
  }
  const trust = { policies, allowDev, now: new Date(), marksOf: marksIn(), overridesOf: () => [] }
  const verification = verify(candidate, { ...about, trust })
  const found = await overridesOf(verification.report)
  if (found.length === 0) return { candidate, trust, verification }
  // Where overrides stand, only the bundle's name says. The judgement is about bytes that do not change, so it can be made again.
  const known: TrustContext = { ...trust, overridesOf: () => found }
  return { candidate, trust: known, verification: verify(candidate, { ...about, trust: known }) }
}

/** A name that is none must not lead anywhere; such a manifest is invalid. */
async function overridesOf({ agent }: Report): Promise<OverrideFile[]> {
  return agent === null || readReference(referenceText(agent)) === undefined ? [] : findOverrides(agent)
}

/** An explicit expectation counts; without one a bundle's file name makes one (DESIGN §3.7). */
function expectationOf(source: string | Uint8Array, expect: string | undefined): Expectation | 'any' {
  if (expect === undefined)
    return (typeof source === 'string' && expectationOfFileName(basename(source))) || 'any'
  if (expect === 'any') return 'any'
  const read = readExpectation(expect)
  if (read !== undefined) return read
  throw new RlpError('USAGE', `Cannot expect "${expect}": it is not name[@variant][@range]`, {
    hint: 'Write for example mailer, mailer@pro or mailer@^1.2',
  })
}
