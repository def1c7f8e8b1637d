// A path that is about to be written → what is there now.
import { SIGNATURE_FILE } from '../../model/agent.ts'
import { readBundle } from '../bundle/read-bundle.ts'
import { entryAt } from './entry.ts'

export type FileStanding = 'nothing' | 'unsigned-bundle' | 'signed-bundle' | 'another-file' | 'no-file'

/** An unsigned bundle can be made again at once; anything else would be lost. `no-file` is a folder, a link or a device. */
export async function standingAt(path: string): Promise<FileStanding> {
  const entry = entryAt(path)
  if (entry === undefined) return 'nothing'
  if (!entry.isFile()) return 'no-file'
  const { files, refusal } = await readBundle(path, { keep: 'parsed' })
  if (refusal !== undefined) return 'another-file'
  return files.get(SIGNATURE_FILE) ? 'signed-bundle' : 'unsigned-bundle'
}
