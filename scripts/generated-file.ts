// Reads and writes the files that a build generates. Builds and tests read them meanwhile, so each appears whole, and one that says the same stays.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Returns the text of a generated file; undefined if it is not there yet. */
export function readGenerated(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes a generated file, with its folder. */
export function writeGenerated(path: string, text: string): void {
  if (readGenerated(path) === text) return
  mkdirSync(dirname(path), { recursive: true })
  const staged = join(dirname(path), `.${basename(path)}.${process.pid}`)
  writeFileSync(staged, text)
  renameSync(staged, path)
}
