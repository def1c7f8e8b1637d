// A reference to a registry or a layout folder → the bundle that it leads to, read.
import type { ReadBundleOptions, readBundle, unreadCandidate } from '../io/bundle/read-bundle.ts'
import type { Candidate } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import { UsageError } from '../model/usage-error.ts'
import type { ReadSourceOptions } from '../verify/source.ts'
import { openCarried } from './open-carried.ts'

/** What the reader of files has. It is passed in, so that this file shares no chunk with it, and is loaded for references alone. */
export interface ReaderParts {
  readonly readBundle: typeof readBundle
  readonly unreadCandidate: typeof unreadCandidate
  /** Whether a file is parsed. */
  isDocument(path: string): boolean
  digestOf(bytes: Uint8Array): string
}

/** What keeps it from being read is part of the answer, as for a file. @throws RlpError USAGE, CANCELLED */
export async function readCarried(
  source: string,
  { access = { env: process.env }, partly = false, ...read }: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
  parts: ReaderParts,
): Promise<Candidate> {
  const { label = source, signal } = read
  try {
    const carried = await openCarried(source, access, signal, label)
    const { origin, added, size, part } = carried
    try {
      const candidate =
        partly && part !== undefined
          ? await (await import('./read-partly.ts')).readPartly(size, part, label, parts)
          : await parts.readBundle(carried.chunks(), { ...read, keep, label, size })
      return { ...candidate, origin, added }
    } finally {
      await carried.close()
    }
  } catch (error) {
    if (error instanceof RlpError && error.code !== 'CANCELLED' && !(error instanceof UsageError))
      return parts.unreadCandidate(label, error)
    throw error
  }
}
