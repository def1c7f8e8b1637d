// What the entry `rlp-bundle/verify` offers: verification without registries. The steps and the verdicts are those of the main entry.

import { UsageError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import { isOciReference } from '../oci/scheme.ts'
import type { ReadWay } from './examine-by.ts'
import type { BundleSource } from './given.ts'
import type { LoadedBundle } from './load.ts'
import { readHere } from './read-here.ts'
import { loadBy, type VerifyBundleOptions, verifyBy } from './verbs-by.ts'

/**
 * Verifies a bundle and reports; never throws because of what the bundle is, nor because it cannot be read: that is the verdict
 * `indeterminate`.
 *
 * @example
 * const { verdict, reasons } = await verifyBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer' })
 * if (verdict !== 'trusted') console.error(verdict, reasons[0]?.message)
 *
 * @throws {@link RlpError} `USAGE` for invalid options and for references, `CANCELLED` when `signal` aborts
 */
export async function verifyHere(source: BundleSource, options: VerifyBundleOptions): Promise<Report> {
  return verifyBy(readNoReference, source, options)
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
 * {@link verifyHere}
 */
export async function loadHere(source: BundleSource, options: VerifyBundleOptions): Promise<LoadedBundle> {
  return loadBy(readNoReference, source, options)
}

const readNoReference: ReadWay = async (source, options, keep) => {
  if (typeof source !== 'string' || !isOciReference(source)) return readHere(source, options, keep)
  throw new UsageError(
    `Cannot verify "${source}": rlp-bundle/verify opens no registry and no layout folder`,
    {
      field: 'source',
      expected: 'a path, a file: URL, a Uint8Array, an ArrayBuffer or an async iterable of Uint8Array',
      hint: "Import it from 'rlp-bundle', whose verifyBundle and loadBundle take references",
    },
  )
}
