// What the library offers for bundles: from a path, a url, bytes, a stream or a reference to a report, or to what may be used. Nothing here
// prints.
import type { Report } from '../model/report.ts'
import { readAnywhere } from './examine.ts'
import type { BundleSource } from './input.ts'
import type { LoadedBundle } from './load.ts'
import { loadBy, type VerifyBundleOptions, verifyBy } from './verbs-here.ts'

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
  return verifyBy(readAnywhere, source, options)
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
  return loadBy(readAnywhere, source, options)
}
