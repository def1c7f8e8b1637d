// Puts a folder back as it was, for tests that call several things from the same files.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

interface Entry {
  readonly mode: number
  readonly mtimeMs: number
  /** Undefined for a folder. */
  readonly bytes: Buffer | undefined
}

/** Remembers the files and folders below a folder. The returned function puts back what has changed since, and may be called again. */
export function keep(folder: string): () => void {
  const was = entriesOf(folder)
  return () => {
    const is = entriesOf(folder)
    // A folder comes before what is in it: remove in the opposite order.
    for (const [path, entry] of [...is].reverse())
      if (isOtherKind(was.get(path), entry)) rmSync(join(folder, path), { recursive: true })
    for (const [path, entry] of was) {
      const found = is.get(path)
      if (found !== undefined && isSame(found, entry)) continue
      const whole = join(folder, path)
      if (entry.bytes === undefined) mkdirSync(whole, { recursive: true })
      else if (found?.bytes === undefined || !found.bytes.equals(entry.bytes)) {
        rmSync(whole, { force: true })
        writeFileSync(whole, entry.bytes)
      }
      chmodSync(whole, entry.mode)
    }
    // At the end, because a write changes the time of the folder that holds the file.
    for (const [path, { mtimeMs }] of was) utimesSync(join(folder, path), mtimeMs / 1000, mtimeMs / 1000)
  }
}

function entriesOf(folder: string, below = '', found = new Map<string, Entry>()): Map<string, Entry> {
  for (const name of readdirSync(join(folder, below)).sort()) {
    const path = join(below, name)
    const stat = lstatSync(join(folder, path))
    if (!stat.isDirectory() && !stat.isFile()) throw new TypeError(`${path} is neither a file nor a folder`)
    const bytes = stat.isFile() ? readFileSync(join(folder, path)) : undefined
    found.set(path, { mode: stat.mode & 0o7777, mtimeMs: stat.mtimeMs, bytes })
    if (stat.isDirectory()) entriesOf(folder, path, found)
  }
  return found
}

function isOtherKind(was: Entry | undefined, is: Entry): boolean {
  return was === undefined || (was.bytes === undefined) !== (is.bytes === undefined)
}

function isSame(one: Entry, other: Entry): boolean {
  if (one.mode !== other.mode || isOtherKind(one, other)) return false
  return one.bytes === undefined || (other.bytes !== undefined && one.bytes.equals(other.bytes))
}
