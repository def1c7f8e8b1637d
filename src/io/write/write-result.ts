// Texts that a command made → files. An existing file is replaced only on request.
import { dirname } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { entryAt, targetAt } from '../read/entry.ts'
import { readFile } from '../read/read-file.ts'
import { writeAtomic } from './write-atomic.ts'

export interface ResultFile {
  /** Absolute. */
  readonly path: string
  readonly label: string
  readonly text: string
}

/**
 * Checks all files before the first is written. A file with the same content stays.
 * @returns whether a file was written
 * @throws RlpError EXISTS, NOT_FOUND for a missing folder, WRONG_FILE_TYPE for a folder or a link, USAGE for one file twice
 */
export async function writeResult(
  files: readonly ResultFile[],
  { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  const [first, second] = files
  if (first !== undefined && first.path === second?.path)
    throw new RlpError('USAGE', `Cannot write "${first.label}": two things would be written there`)
  const missing: ResultFile[] = []
  for (const file of files) if (!(await isThere(file, force))) missing.push(file)
  for (const { path, label, text } of missing)
    await writeAtomic(path, new TextEncoder().encode(text), { label, signal })
  return missing.length > 0
}

async function isThere(file: ResultFile, force: boolean): Promise<boolean> {
  const { path, label } = file
  const entry = entryAt(path)
  if (entry === undefined) {
    if (targetAt(dirname(path))?.isDirectory()) return false
    throw new RlpError('NOT_FOUND', `Cannot write "${label}": there is no such folder`, {
      hint: 'Choose another place, or make the folder',
    })
  }
  if (!entry.isFile())
    throw new RlpError('WRONG_FILE_TYPE', `Cannot write "${label}": a folder, a link or a device is there`, {
      hint: 'Choose another name',
    })
  if (await holdsText(file)) return true
  if (force) return false
  throw new RlpError('EXISTS', `Cannot write "${label}": a file with other content is there`, {
    hint: 'Choose another name, or move it away; --force replaces it',
  })
}

/** Whether the file is there, with this text. */
export async function holdsText({ path, label, text }: ResultFile): Promise<boolean> {
  const bytes = new TextEncoder().encode(text)
  const entry = entryAt(path)
  if (entry?.isFile() !== true || entry.size !== bytes.length) return false
  const there = await readFile(path, { follow: false, label, most: bytes.length, larger: () => undefined })
  return there !== undefined && Buffer.compare(there, bytes) === 0
}
