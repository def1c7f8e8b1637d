// The inputs of the functions that verify and load one bundle. The entry `rlp-bundle/verify` has them with a way to read that opens no
// registry; the steps and the verdicts are the same.
import type { Limits } from '../bundle/archive.ts'
import { UsageError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import { type AnyInput, type Asked, type Input, needed, text, type World, whether } from '../verb/index.ts'
import { bundle, judgedWith } from './bundle-inputs.ts'
import { examineBy, type Judging, type ReadWay, readHere } from './examine-by.ts'
import { limitsInput } from './input.ts'
import type { Examination } from './judge-candidate.ts'
import { JUDGING, judgingBy } from './judging-inputs.ts'
import { pins } from './pin-inputs.ts'

const limits: Input<Limits, Limits | undefined> = {
  type: 'Limits',
  fromGiven: limitsInput,
}

/** @interface ExaminedOptions */
export const EXAMINING = {
  ...JUDGING,
  /**
   * Locks that pin the bundle (docs/lock.md): each that names its agent, and one has to. One that is missing or malformed decides nothing: the
   * verdict is `indeterminate`.
   */
  lock: pins,
  /** Which agent it has to be: `name[@variant][@range]`, or `blake3:…` for one bundle. `any` waives the question, and is reported. */
  expect: needed(text('which agent it has to be, or any')),
  /** Accept a sound bundle without signature. Has no effect where a policy requires signatures. */
  allowUnsigned: whether('accept a sound bundle without signature'),
  /** What the bundle is called in the report; its path, `<bytes>` or `<stream>` where this is left out. */
  label: text('what the bundle is called in the report'),
  /** How large a bundle may be, in files and bytes; docs/spec/archive.md, A-30 and A-31, has the numbers that hold without it. */
  limits,
} as const satisfies Record<string, AnyInput>

/** With the bundle that is verified. */
export const EXAMINED = { source: needed(bundle('the bundle', 'verify')), ...EXAMINING }

/** Reads and judges the bundle. @returns all options by which it was judged, too */
export async function examined(
  read: ReadWay,
  asked: Asked<typeof EXAMINED>,
  world: World,
  keep: 'parsed' | 'all',
): Promise<{ readonly examination: Examination; readonly judging: Judging }> {
  const { source, lock: locks, expect, allowUnsigned, limits } = asked
  const { target } = source
  const label = asked.label ?? target.label
  const judging = judgedWith(
    { ...judgingBy(asked, world), locks, expect, allowUnsigned, limits, label },
    source,
  )
  return { examination: await examineBy(read, target.input ?? target.path, judging, keep), judging }
}

/** A path, bytes or a stream. @throws UsageError for a reference */
export const readNoReference: ReadWay = async (source, options, keep) => {
  if (typeof source !== 'string' || !isOciReference(source)) return readHere(source, options, keep)
  throw new UsageError(
    `Cannot verify "${options.label ?? source}": rlp-bundle/verify opens no registry and no layout folder`,
    {
      field: 'source',
      expected: 'a path, a file: URL, a Uint8Array, an ArrayBuffer or an async iterable of Uint8Array',
      hint: "Import it from 'rlp-bundle', whose verifyBundle and loadBundle take references",
    },
  )
}
