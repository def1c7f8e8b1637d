// A new text → a file, unless the file was edited since it was read: then the edit stays.
import { type BigIntStats, lstatSync } from 'node:fs'
import { RlpError } from '../../model/error.ts'
import { ioError, ioNow } from '../fail.ts'
import { entryAt } from '../read/entry.ts'
import { openFile, readWhole, withFile } from '../read/read-file.ts'
import { type WriteOptions, writeAtomic } from './write-atomic.ts'

interface ReplaceOptions {
  /** Name of the file in messages. */
  readonly label: string
  /** Its bytes when it was read; undefined if it did not exist. */
  readonly before: Uint8Array | undefined
  /** Mode and owner of a file that did not exist. */
  readonly like?: WriteOptions['like']
  /** Called when the new text is on disk beside the file, and the file is still what was read. Throwing keeps the old file. */
  readonly first?: (() => Promise<void>) | undefined
  /** The advice if it changed; by default, to run the command again. */
  readonly hint?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Mode and owner stay.
 *
 * POSIX has no "rename unless it changed". The content is compared once the new text is on the disk. Then one last check, one system call
 * before the rename, compares identity, size and times. An edit that is saved within those microseconds is lost. An editor that still has
 * the old file open writes to a file without a name, as with every program that replaces files.
 * @throws RlpError CHANGED_WHILE_READING if the file is no longer what was read; as `writeAtomic`
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  options: ReplaceOptions,
): Promise<void> {
  const { label, before, like, first, hint = 'Run the command again', signal } = options
  const state = before === undefined && like !== undefined ? 'it is there now' : 'it changed meanwhile'
  const changed = () => new RlpError('CHANGED_WHILE_READING', `Cannot write "${label}": ${state}`, { hint })
  let compared: BigIntStats | undefined
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  await writeAtomic(path, bytes, {
    label,
    like: before === undefined ? like : entryAt(path),
    signal,
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

/** The file's stat, taken just before its content was found unchanged. */
async function statIfStill(
  path: string,
  label: string,
  before: Uint8Array,
): Promise<BigIntStats | undefined> {
  if (entryAt(path) === undefined) return undefined
  return withFile(openFile(path, { follow: false, label }), async file => {
    const stat = ioNow(`look at "${label}"`, () => file.handle.exactStat())
    return Buffer.compare(await readWhole(file), before) === 0 ? stat : undefined
  })
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
