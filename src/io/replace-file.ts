// A new text for a file that somebody may have edited since it was read: then theirs stays.
import { type BigIntStats, lstatSync } from 'node:fs'
import { RlpError } from '../model/error.ts'
import { entryAt } from './entry.ts'
import { ioError, ioNow } from './fail.ts'
import { openFile, readWhole } from './read-file.ts'
import { writeAtomic } from './write-atomic.ts'

export interface ReplaceOptions {
  /** How people call the file. */
  readonly label: string
  /** What it held when it was read; undefined when it was not there. */
  readonly before: Uint8Array | undefined
  /** Called when the new text is on disk beside a file that still is what was read; throwing leaves that one. */
  readonly first?: () => Promise<void>
  /** What to do when it changed; without it, to run the command again. */
  readonly hint?: string
  readonly signal?: AbortSignal
}

/**
 * Mode and owner stay.
 *
 * POSIX has no "rename unless it changed". The content is compared when the new text is on the disk; then, with nothing but one system
 * call between the look and the rename, that it is the same file, of the same size and with the same times. An edit that is saved
 * within those microseconds is lost; and one by an editor that already had the old file open goes to a file without a name, as with
 * every program that replaces files.
 *
 * @throws RlpError CHANGED_WHILE_READING when the file is no longer what was read; as `writeAtomic`
 */
export async function replaceFile(path: string, text: string, options: ReplaceOptions): Promise<void> {
  const { label, before, first, hint = 'Run the command again', signal } = options
  const changed = () =>
    new RlpError('CHANGED_WHILE_READING', `Cannot write "${label}": it changed meanwhile`, { hint })
  const like = entryAt(path)
  let compared: BigIntStats | undefined
  await writeAtomic(path, new TextEncoder().encode(text), {
    label,
    ...(like && before && { like }),
    ...(signal && { signal }),
    before: async () => {
      compared = before && (await statIfStill(path, label, before))
      if (before !== undefined && compared === undefined) throw changed()
      await first?.()
    },
    last: () => {
      if (!isSame(now(path, label), compared)) throw changed()
    },
  })
}

/** What the file was just before it was found to hold these very bytes. */
async function statIfStill(
  path: string,
  label: string,
  before: Uint8Array,
): Promise<BigIntStats | undefined> {
  if (entryAt(path) === undefined) return undefined
  const file = await openFile(path, { follow: false, label })
  try {
    const stat = ioNow(`look at "${label}"`, () => file.handle.exactStat())
    return Buffer.compare(await readWhole(file, label), before) === 0 ? stat : undefined
  } finally {
    file.handle.close()
  }
}

function now(path: string, label: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    throw ioError(`look at "${label}"`, error)
  }
}

function isSame(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const facts = (stat: BigIntStats) => [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join()
  return facts(a) === facts(b)
}
