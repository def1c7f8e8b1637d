// What index.ts offers for bundles. Nothing here prints.

import { usable } from '../caps/overrides.ts'
import { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import { type LoadedBundle, load } from './load.ts'
import { examine, type VerifyBundleOptions, verifyWith } from './verify-file.ts'

export type { VerifyBundleOptions } from './verify-file.ts'

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
  return load(bundle, usable(trust.overrides).sound)
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
