// A path → the same path without links, so that a file has one lock under all its names.
import { promises as fs } from 'node:fs'
import { io } from '../fail.ts'

/** The path itself if nothing is there yet. */
export function realPath(path: string, label = path): Promise<string> {
  return io(`look at "${label}"`, () =>
    fs.realpath(path).catch(error => {
      if (error.code === 'ENOENT') return path
      throw error
    }),
  )
}
