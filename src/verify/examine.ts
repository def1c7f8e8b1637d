// Opens and judges a bundle, wherever it is: a path, bytes, a stream, or a reference to a registry or a layout folder. A reference to an
// agent that a lock pins gets its digest: a tag can be moved, a digest cannot.
import type { BundleInput } from '../io/bundle/bundle-bytes.ts'
import { type ReadBundleOptions, readBundle, unreadCandidate } from '../io/bundle/read-bundle.ts'
import { absolute } from '../io/layout-folder.ts'
import { referenceIn } from '../io/reference.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { LockedAgent, LockSource } from '../model/lock.ts'
import type { Reason } from '../model/report.ts'
import { impliedBy, ociReferenceText, placeText, readOciReference, withImplied } from '../oci/reference.ts'
import { isOciReference } from '../oci/scheme.ts'
import { type Expectation, referenceText } from '../version/reference.ts'
import {
  examineBy,
  type Judging,
  type ReadSource,
  type ReadSourceOptions,
  type ReadWay,
  readHere,
} from './examine-by.ts'
import { expectationIn } from './expectation.ts'
import { type Examination, judgeCandidate } from './judge-candidate.ts'
import type { Verification } from './verify.ts'

export type { JobJudging, Judging } from './examine-by.ts'

/** From registries as well. */
export const readAnywhere: ReadWay = (source, options, keep, locks) => {
  const pinned = typeof source === 'string' ? pinnedReference(source, locks) : source
  return readCandidate(pinned, options, keep)
}

/** One pass of reading and judging, for the functions above and for the command. */
export async function verifyWith(
  source: BundleInput,
  options: Judging,
  keep: 'parsed' | 'all',
): Promise<Verification> {
  return (await examine(source, options, keep)).verification
}

/** The report of a bundle that could not be read. */
export async function reportUnread(
  { code, message, hint }: Pick<Reason, 'code' | 'message' | 'hint'>,
  options: Judging,
): Promise<Verification> {
  const is = code === 'timed_out' ? 'TIMED_OUT' : 'IO'
  const error = new RlpError(is, message, { hint })
  const candidate = unreadCandidate(options.label ?? '', error)
  return (await judgeCandidate(candidate, 'any', { ...options, attestations: false })).verification
}

/** @throws RlpError USAGE for an invalid `expect`, CANCELLED if `signal` aborts */
export async function examine(
  source: BundleInput,
  options: Judging,
  keep: 'parsed' | 'all',
): Promise<Examination> {
  return examineBy(readAnywhere, source, options, keep)
}

/** @throws RlpError USAGE for an invalid `expect` or reference, CANCELLED */
export async function readCandidate(
  source: BundleInput,
  options: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
): Promise<ReadSource> {
  if (typeof source !== 'string' || !isOciReference(source)) return readHere(source, options, keep)
  const expect = expectationOfReference(source, options)
  const { readCarried } = await import('../registry/open-carried.ts')
  return readCarried(source, expect, options, keep, { readBundle, unreadCandidate })
}

/** The reference itself if it names a digest, or if no lock pins one for it: then its bundle is compared with the locks all the same. */
export function pinnedReference(reference: string, locks: readonly LockSource[]): string {
  if (locks.length === 0) return reference
  const read = readOciReference(reference)
  if ('problem' in read || read.value.digest !== undefined) return reference
  const { value } = read
  const entries = locks.flatMap(({ lock, folder }) =>
    [...(lock?.agents ?? [])].map(entry => ({ entry, folder })),
  )
  const here = entries.flatMap(({ entry: [, agent], folder }) => {
    const source = readOciReference(absolute(agent.source, folder))
    return 'value' in source && placeText(source.value.place) === placeText(value.place)
      ? { agent, tag: source.value.tag }
      : []
  })
  const implied = impliedBy(value)
  const name = implied?.name === undefined ? undefined : referenceText({ ...implied, name: implied.name })
  const named = entries.find(({ entry: [agent] }) => agent === name)?.entry[1]
  const byTag = here.find(({ tag }) => tag === value.tag)
  const isOnlyOne = new Set(here.map(({ agent }) => agent.oci)).size === 1
  const found: LockedAgent | undefined = named ?? byTag?.agent ?? (isOnlyOne ? here[0]?.agent : undefined)
  return found?.oci === undefined ? reference : ociReferenceText({ ...value, digest: found.oci })
}

/** What a reference implies, or what was asked for with the version that its tag names. @throws RlpError USAGE */
export function expectationOfReference(
  source: string,
  { label = source, expect: asked, mustExpect = false }: ReadSourceOptions,
): Expectation | 'any' {
  const implied = impliedBy(referenceIn(source, 'read'))
  if (asked !== undefined) {
    const expect = expectationIn(asked)
    return expect === 'any' ? expect : withImplied(expect, implied)
  }
  if (mustExpect && implied?.name === undefined)
    throw new UsageError(`Cannot use "${label}": it does not say which agent it has to be`, {
      field: 'expect',
      hint: 'Add `expect` with the name of the agent',
    })
  return implied ?? 'any'
}
