// A path → the same path without links, so that a file has one lock under all its names.
import { promises as fs, readlinkSync, realpathSync } from 'node:fs'
import { isSystemError } from '../../model/system-error.ts'
import { io, ioNow } from '../fail.ts'
import { entryOrNothing } from './entry.ts'

/** The path itself if nothing is there yet. */
export function realPath(path: string, label = path): Promise<string> {
  return io(`look at "${label}"`, () =>
    fs.realpath(path).catch(error => {
      if (error.code === 'ENOENT') return path
      throw error
    }),
  )
}

/** Where a path leads; undefined if nothing is there, or it cannot be reached. */
export function realPathNow(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
}

/** What a link says, as it is written; undefined for what is no link. */
export function linkAt(path: string): string | undefined {
  return entryOrNothing(path)?.isSymbolicLink()
    ? ioNow(`look at "${path}"`, () => readlinkSync(path))
    : undefined
}
