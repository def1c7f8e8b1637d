// What verifyBundle and loadBundle do, whatever they read bundles with.
import { resolve } from 'node:path'
import type { Limits } from '../bundle/archive.ts'
import { runVerb } from '../io/library/verb.ts'
import { RlpError } from '../model/error.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import type { OnProgress } from '../model/progress.ts'
import type { Report } from '../model/report.ts'
import { examineBy, type Judging, type ReadWay } from './examine-by.ts'
import { type BundleSource, bundleInput, type FolderGiven, fileInput, limitsInput } from './given.ts'
import type { LoadedBundle } from './load.ts'
import { type TrustOptions, trustInput } from './trust-given.ts'

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
    const { loadExamined } = await import('./load-examined.ts')
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
