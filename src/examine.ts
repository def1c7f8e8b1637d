// A bundle's bytes + the policies, state and overrides of this host → one judgement, with all that it was made of.
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
import type { Candidate } from './model/bundle.ts'
import { RlpError } from './model/error.ts'
import type { OverrideFile } from './model/override.ts'
import type { Report } from './model/report.ts'
import type { TrustContext } from './model/trust.ts'
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
  const { limits, signal, label } = options
  const expect = await expectationOf(source, options.expect)
  const given = {
    ...(limits && { limits }),
    ...(signal && { signal }),
    ...(label !== undefined && { label }),
  }
  return judge(await readBundle(source, { keep, ...given }), expect, options)
}

/** The judgement alone, by policies, state, overrides and clock of this moment: for bytes that were read before. */
export async function judge(
  candidate: Candidate,
  expect: Expectation | 'any',
  options: Pick<ExamineOptions, 'allowUnsigned' | 'allowDowngrade' | 'allowDev' | 'trustPolicy'>,
): Promise<Examination> {
  const { allowUnsigned, allowDowngrade, allowDev = false, trustPolicy } = options
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
export async function expectationOf(
  source: string | Uint8Array,
  expect: string | undefined,
): Promise<Expectation | 'any'> {
  if (expect === undefined)
    return (typeof source === 'string' && expectationOfFileName(basename(source))) || 'any'
  if (expect === 'any') return 'any'
  const read = readExpectation(expect)
  if (read !== undefined) return read
  throw new RlpError('USAGE', `Cannot expect "${expect}": it is not name[@variant][@range]`, {
    hint: expect.includes('+')
      ? 'A range compares no build metadata: write one version, for example mailer@1.2.0+build'
      : 'Write for example mailer, mailer@pro or mailer@^1.2',
  })
}
