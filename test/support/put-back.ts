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

/** A folder as it was at one moment. */
export interface Kept {
  /** The paths of the files and folders that are new, gone or different since then. */
  changed(): string[]
  /** Puts them back, with their modes and times, and returns their paths. */
  putBack(): string[]
}

/** Remembers the files and folders below a folder. */
export function keep(folder: string): Kept {
  const was = entriesOf(folder)
  const putBack = () => {
    const is = entriesOf(folder)
    const changed = differences(was, is)
    // A folder comes before what is in it, so remove in the opposite order.
    for (const [path, entry] of [...is].reverse())
      if (isOtherKind(was.get(path), entry)) rmSync(join(folder, path), { recursive: true })
    for (const path of changed) {
      const entry = was.get(path)
      if (entry !== undefined) write(join(folder, path), entry)
    }
    // Last, because a write changes the time of the folder that holds the file.
    for (const [path, { mtimeMs }] of was)
      if (changed.length > 0 || is.get(path)?.mtimeMs !== mtimeMs)
        utimesSync(join(folder, path), mtimeMs / 1000, mtimeMs / 1000)
    return changed
  }
  return { changed: () => differences(was, entriesOf(folder)), putBack }
}

type Entries = ReadonlyMap<string, Entry>

function differences(was: Entries, is: Entries): string[] {
  const gone = [...was].filter(([path, entry]) => !isSame(entry, is.get(path))).map(([path]) => path)
  return [...gone, ...[...is.keys()].filter(path => !was.has(path))]
}

function write(path: string, { bytes, mode }: Entry): void {
  if (bytes === undefined) mkdirSync(path, { recursive: true })
  else {
    // A new file, because the old one may be write-protected.
    rmSync(path, { force: true })
    writeFileSync(path, bytes)
  }
  chmodSync(path, mode)
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

function isSame(was: Entry, is: Entry | undefined): boolean {
  if (is === undefined || was.mode !== is.mode || isOtherKind(was, is)) return false
  return was.bytes === undefined || (is.bytes !== undefined && was.bytes.equals(is.bytes))
}
