// What the library offers for bundles: from a path, a url, bytes or a stream to a report, or to what may be used. Nothing here prints.
import type { Limits } from '../format/archive/header.ts'
import { runVerb } from '../io/library/verb.ts'
import { RlpError } from '../model/error.ts'
import type { OnProgress } from '../model/progress.ts'
import type { Report } from '../model/report.ts'
import { type ExamineOptions, examine, verifyWith } from './examine.ts'
import { type BundleSource, bundleInput, type FolderGiven, fileInput, limitsInput } from './given.ts'
import type { LoadedBundle } from './load.ts'
import { loadExamined } from './load-examined.ts'
import { type TrustOptions, trustInput } from './trust-given.ts'

/** How a bundle is read and judged. */
export interface VerifyBundleOptions extends TrustOptions {
  /** A lock that pins the bundle (docs/lock.md). One that is missing or malformed decides nothing: the verdict is `indeterminate`. */
  readonly lock?: FolderGiven | undefined
  /** Which agent it has to be: `name[@variant][@range]`, or `blake3:…` for one bundle. `any` waives the question, and is reported. */
  readonly expect: string
  /** Accept a sound bundle without signature. Has no effect where a policy requires signatures. */
  readonly allowUnsigned?: boolean | undefined
  /** What the bundle is called in the report; its path, `<bytes>` or `<stream>` where this is left out. */
  readonly label?: string | undefined
  /** How large a bundle may be, in files and bytes; docs/spec/archive.md, A-32 and A-33, has the numbers that hold without it. */
  readonly limits?: Limits | undefined
  /** Gives up: the promise is rejected with the code `CANCELLED`. */
  readonly signal?: AbortSignal | undefined
  /** Told how many bytes of the archive were read. */
  readonly onProgress?: OnProgress | undefined
}

/**
 * Verifies a bundle and reports; never throws because of what the bundle is, nor because it cannot be read: that is the verdict
 * `indeterminate`.
 *
 * @example
 * const { verdict, reasons } = await verifyBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer' })
 * if (verdict !== 'trusted') console.error(verdict, reasons[0]?.message)
 *
 * @throws {@link RlpError} `USAGE` for invalid options, `CANCELLED` when `signal` aborts
 */
export async function verifyBundle(source: BundleSource, options: VerifyBundleOptions): Promise<Report> {
  return runVerb('verifyBundle', options ?? {}, async given => {
    const { report } = await verifyWith(bundleInput(source), examineOptions(given), 'parsed')
    return report
  })
}

/**
 * Verifies a bundle and hands out what it holds, from the very bytes that were verified.
 *
 * @example
 * const bundle = await loadBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer', allowUnsigned: true })
 * const wasm = bundle.bytes('bin/mailer.wasm')
 *
 * @throws {@link NotVerifiedError} when the verdict is not `trusted` (or `unsigned` with `allowUnsigned`); it carries the report
 * @throws {@link RlpError} `NOT_FOUND`, `NO_PERMISSION` or `IO` when the bundle cannot be read; `USAGE` and `CANCELLED` as
 * {@link verifyBundle}
 */
export async function loadBundle(source: BundleSource, options: VerifyBundleOptions): Promise<LoadedBundle> {
  return runVerb('loadBundle', options ?? {}, async given => {
    return loadExamined(await examine(bundleInput(source), examineOptions(given), 'all'))
  })
}

/** @throws RlpError USAGE: types are gone at run time, and a forgotten expectation must not mean "any" */
function examineOptions(options: VerifyBundleOptions): ExamineOptions {
  if (typeof options.expect !== 'string')
    throw new RlpError('USAGE', 'Cannot verify a bundle: expect is missing', {
      hint: 'Say which agent it has to be, or expect "any"',
    })
  // One by one: what only commands may say does not get in by another name.
  const { expect, lock, allowUnsigned, label, limits, signal, onProgress } = options
  return {
    expect,
    ...(lock !== undefined && { lock: fileInput(lock, 'lock') }),
    allowUnsigned,
    label,
    ...(limits && { limits: limitsInput(limits) }),
    signal,
    onProgress,
    ...trustInput(options),
  }
}
