// Gives the files of a folder one digest, so that two hosts can say whether they hold the same. It decides nothing: what cannot be read is
// part of the digest by its error code.
import { createHash, hash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { MAX_TEXT_BYTES } from '../../text/decode.ts'

/**
 * @param fits which files count, by their path in the folder
 * @returns lower-case hex of a sha256 over names and contents; null if no file counts, or there is no such folder
 */
export function folderDigest(folder: string, fits: (path: string) => boolean = () => true): string | null {
  const whole = createHash('sha256')
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => !entry.isDirectory())
      .map(entry => join(entry.parentPath, entry.name))
      .filter(path => fits(relative(folder, path)))
    if (files.length === 0) return null
    for (const path of files.sort())
      whole.update(JSON.stringify([relative(folder, path), contentDigest(path)]))
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return null
    whole.update(code)
  }
  return whole.digest('hex')
}

/** The sha256 of a file; its size if it is larger than any file that verification reads; or why it cannot be read. */
export function contentDigest(path: string): string | number {
  try {
    const seen = statSync(path)
    if (!seen.isFile()) return 'special'
    return seen.size <= MAX_TEXT_BYTES ? hash('sha256', readFileSync(path)) : seen.size
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'error'
}
