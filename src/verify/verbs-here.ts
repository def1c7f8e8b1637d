// Verifies and loads bundles for callers of the library, with a given way to read them. The entry `rlp-bundle/verify` reads without
// registries; its steps and verdicts are those of the main entry.
import { resolve } from 'node:path'
import type { Limits } from '../bundle/archive.ts'
import { runVerb } from '../io/library/verb.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import type { OnProgress } from '../model/progress.ts'
import type { Report } from '../model/report.ts'
import { isOciReference } from '../oci/scheme.ts'
import { examineBy, type Judging, type ReadWay, readHere } from './examine-by.ts'
import {
  type BundleSource,
  bundleInput,
  type FolderGiven,
  fileInput,
  limitsInput,
  type TrustOptions,
  trustInput,
} from './input.ts'
import type { LoadedBundle } from './load.ts'

/** How a bundle is read and judged. */
export interface VerifyBundleOptions extends TrustOptions {
  /**
   * Locks that pin the bundle (docs/lock.md): each that names its agent, and one has to. One that is missing or malformed decides nothing: the
   * verdict is `indeterminate`.
   */
  readonly lock?: OneOrMore<FolderGiven> | undefined
  /** Which agent it has to be: `name[@variant][@range]`, or `blake3:…` for one bundle. `any` waives the question, and is reported. */
  readonly expect: string
  /** Accept a sound bundle without signature. Has no effect where a policy requires signatures. */
  readonly allowUnsigned?: boolean | undefined
  /** What the bundle is called in the report; its path, `<bytes>` or `<stream>` where this is left out. */
  readonly label?: string | undefined
  /** How large a bundle may be, in files and bytes; docs/spec/archive.md, A-30 and A-31, has the numbers that hold without it. */
  readonly limits?: Limits | undefined
  /** Gives up: the promise is rejected with the code `CANCELLED`. */
  readonly signal?: AbortSignal | undefined
  /** Told how many bytes of the archive were read. */
  readonly onProgress?: OnProgress | undefined
}

export async function verifyBy(
  read: ReadWay,
  source: BundleSource,
  options: VerifyBundleOptions,
): Promise<Report> {
  return runVerb('verifyBundle', options ?? {}, async given => {
    const { verification } = await examineBy(read, bundleInput(source), examineOptions(given), 'parsed')
    return verification.report
  })
}

export async function loadBy(
  read: ReadWay,
  source: BundleSource,
  options: VerifyBundleOptions,
): Promise<LoadedBundle> {
  return runVerb('loadBundle', options ?? {}, async given => {
    const options = examineOptions(given)
    const judging = withWholePaths(options)
    const examination = await examineBy(read, bundleInput(source), options, 'all')
    const { loadExamined } = await import('./load.ts')
    return loadExamined(examination, judging)
  })
}

/** As they are now: the process may start tools of the bundle in another folder later. */
function withWholePaths(options: Judging): Judging {
  const { trustPolicy, home, state } = options
  const whole = <T>(path: T) => (typeof path === 'string' ? resolve(path) : path)
  return { ...options, trustPolicy: whole(trustPolicy), home: whole(home), state: whole(state) }
}

/** @throws RlpError USAGE: types are gone at run time, and a forgotten expectation must not mean "any" */
function examineOptions(options: VerifyBundleOptions): Judging {
  if (typeof options.expect !== 'string')
    throw new RlpError('USAGE', 'Cannot verify a bundle: expect is missing', {
      hint: 'Say which agent it has to be, or expect "any"',
    })
  // One by one: what only commands may say does not get in by another name.
  const { expect, lock, allowUnsigned, label, limits, signal, onProgress } = options
  return {
    expect,
    locks: eachOf(lock, 'lock').map(one => fileInput(one, 'lock')),
    allowUnsigned,
    label,
    limits: limits && limitsInput(limits),
    signal,
    onProgress,
    ...trustInput(options),
  }
}

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
