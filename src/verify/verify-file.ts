// A bundle's bytes + the policies, state and overrides of this host → one judgement, with all that it was made of.
import { basename } from 'node:path'
import { findOverrides } from '../caps/find-overrides.ts'
import type { Limits } from '../format/archive/header.ts'
import { outline } from '../format/read-agent.ts'
import {
  type Expectation,
  expectationOfFileName,
  readExpectation,
  readReference,
  referenceText,
} from '../format/reference.ts'
import { readBundle } from '../io/read-bundle.ts'
import { findMarks } from '../io/state.ts'
import type { Agent } from '../model/agent.ts'
import type { Candidate } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import type { TrustContext } from '../model/trust.ts'
import { readTrustPolicies } from '../trust/read-trust.ts'
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
  /** Read the contents whoever made the bundle; no verdict depends on it. */
  readonly look?: boolean
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
  options: Pick<ExamineOptions, 'allowUnsigned' | 'allowDowngrade' | 'allowDev' | 'trustPolicy' | 'look'>,
): Promise<Examination> {
  const { allowUnsigned, allowDowngrade, allowDev = false, trustPolicy, look } = options
  const policies = await readTrustPolicies(trustPolicy === undefined ? {} : { given: trustPolicy })
  const bundle = outline(candidate)
  const trust = { policies, allowDev, now: new Date(), ...(await knownOf(bundle.agent)) }
  const verification = verify(bundle, {
    expect,
    trust,
    ...(allowUnsigned !== undefined && { allowUnsigned }),
    ...(allowDowngrade !== undefined && { allowDowngrade }),
    ...(look !== undefined && { look }),
  })
  return { candidate, trust, verification }
}

/** What this host knows of the agent that a bundle says it is. An invalid name must never become a path; such a manifest is invalid. */
export async function knownOf({ manifest }: Agent): Promise<Pick<TrustContext, 'marks' | 'overrides'>> {
  const { name, variant } = manifest ?? {}
  const reference = name === undefined ? undefined : readReference(referenceText({ name, variant }))
  if (reference === undefined) return { marks: { marks: [], wasSigned: false }, overrides: [] }
  return { marks: await findMarks(referenceText(reference)), overrides: await findOverrides(reference) }
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
