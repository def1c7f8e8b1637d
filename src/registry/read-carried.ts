// A reference to a registry or a layout folder → the bundle that it leads to, read.

import type { ReadBundleOptions, readBundle, unreadCandidate } from '../io/bundle/read-bundle.ts'
import type { Reach } from '../io/wait/reach.ts'
import type { Candidate } from '../model/bundle.ts'
import { isObstacle, UsageError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import { isWholeRepository } from '../oci/reference.ts'
import type { ReadSource, ReadSourceOptions } from '../verify/source.ts'
import { type Expectation, exactly } from '../version/reference.ts'
import { newestStored } from './newest-stored.ts'
import { mayHaveKeyless, openCarried } from './open-carried.ts'

/** What the reader of files has. It is passed in, so that this file shares no chunk with it, and is loaded for references alone. */
export interface ReaderParts {
  readonly readBundle: typeof readBundle
  readonly unreadCandidate: typeof unreadCandidate
}

/**
 * What keeps it from being read is part of the answer, as for a file. Of a repository that is named without a tag, the newest version that is
 * expected is read, and then exactly this one is expected.
 * @throws RlpError USAGE, CANCELLED
 */
export async function readCarried(
  source: string,
  expect: Expectation | 'any',
  options: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
  parts: ReaderParts,
): Promise<ReadSource> {
  const { label = source } = options
  try {
    const range = expect === 'any' ? undefined : expect.versions
    if (expect === 'any' || range === undefined || !isWholeRepository(source))
      return { expect, candidate: await readAt(source, options, keep, parts) }
    const { tag, version } = await newestStored(source, range, reachFor(options), label)
    const named = { ...options, label: withTag(label, tag) }
    const candidate = await readAt(withTag(source, tag), named, keep, parts)
    return { expect: { ...expect, versions: exactly(version) }, candidate }
  } catch (error) {
    if (isObstacle(error) && !(error instanceof UsageError))
      return { expect, candidate: parts.unreadCandidate(label, error) }
    throw error
  }
}

function withTag(repository: string, tag: string): string {
  return `${repository.replace(/\/$/, '')}:${tag}`
}

/** A caller of the small functions may leave all of it out. */
function reachFor(options: ReadSourceOptions): Reach {
  const { access = { env: process.env }, signal = new AbortController().signal } = ownMembers(options)
  return { access, signal }
}

async function readAt(
  source: string,
  options: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
  parts: ReaderParts,
): Promise<Candidate> {
  const { access: _, ...read } = ownMembers(options)
  const { label = source } = ownMembers(read)
  try {
    const carried = await openCarried(source, reachFor(options), label)
    const { origin, added, size } = carried
    const unsigned = read.unsigned === true || mayHaveKeyless(added)
    try {
      const candidate = await parts.readBundle(carried.chunks(), { ...read, keep, label, size, unsigned })
      return { ...candidate, origin, added }
    } finally {
      await carried.close()
    }
  } catch (error) {
    if (isObstacle(error) && !(error instanceof UsageError)) return parts.unreadCandidate(label, error)
    throw error
  }
}
