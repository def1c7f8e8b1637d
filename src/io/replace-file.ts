// A new text for a file that somebody may have edited since it was read: then theirs stays.
import { RlpError } from '../model/error.ts'
import { openFile, readWhole } from './read-file.ts'
import { entryAt, writeAtomic } from './write-atomic.ts'

export interface ReplaceOptions {
  /** How people call the file. */
  readonly label: string
  /** What it held when it was read; undefined when it was not there. */
  readonly before: Uint8Array | undefined
  /** Called when the new text is on disk beside a file that still is what was read; throwing leaves that one. */
  readonly first?: () => Promise<void>
  readonly signal?: AbortSignal
}

/**
 * Mode and owner stay.
 *
 * @throws RlpError CHANGED_WHILE_READING when the file is no longer what was read; as `writeAtomic`
 */
export async function replaceFile(path: string, text: string, options: ReplaceOptions): Promise<void> {
  const { label, before, first, signal } = options
  const like = await entryAt(path)
  await writeAtomic(path, new TextEncoder().encode(text), {
    label,
    ...(like && before && { like }),
    ...(signal && { signal }),
    before: async () => {
      if (!(await stillIs(path, label, before))) {
        throw new RlpError('CHANGED_WHILE_READING', `Cannot write "${label}": it changed meanwhile`, {
          hint: 'Run the command again',
        })
      }
      await first?.()
    },
  })
}

async function stillIs(path: string, label: string, before: Uint8Array | undefined): Promise<boolean> {
  if (before === undefined) return (await entryAt(path)) === undefined
  const now = await openFile(path, { follow: false, label })
  try {
    return Buffer.compare(await readWhole(now, label), before) === 0
  } finally {
    await now.handle.close()
  }
}
