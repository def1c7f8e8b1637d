// A path → the same without links, so that a file has one lock and one place, whatever it is called.
import { realpath } from 'node:fs/promises'
import { io } from './fail.ts'

/** The path itself where nothing is there yet. */
export function realPath(path: string, label = path): Promise<string> {
  return io(`look at "${label}"`, () =>
    realpath(path).catch(error => {
      if (error.code === 'ENOENT') return path
      throw error
    }),
  )
}
