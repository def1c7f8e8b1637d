// A new SIGNATURES/manifest.sig → an unpacked bundle, in one step. A reader sees the old signature or the new one; a temporary file
// inside would make the bundle invalid.
import { mkdir, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { io } from '../io/fail.ts'
import { entryAt } from '../io/read/entry.ts'
import {
  discard,
  refuseIfAborted,
  removeLeftovers,
  syncFolder,
  temporaryName,
  writeAtomic,
} from '../io/write/write-atomic.ts'
import { SIGNATURE_FILE, SIGNATURE_FOLDER } from '../model/agent.ts'

/** Tells these from the temporary files of other writes. */
const MARK = 'rlp-sign'

/** @param folder the unpacked bundle; the new file is made beside it and moved in with one rename */
export async function writeSignatureFile(
  folder: string,
  envelope: Uint8Array,
  { label, signal }: { readonly label: string; readonly signal?: AbortSignal },
): Promise<void> {
  const doing = `write "${label}/${SIGNATURE_FILE}"`
  const parent = dirname(folder)
  await removeLeftovers(parent, basename(folder), MARK)
  const stage = join(parent, temporaryName(basename(folder), MARK))
  await io(doing, () => mkdir(stage))
  try {
    const made = join(stage, basename(SIGNATURE_FILE))
    const like = entryAt(join(folder, SIGNATURE_FILE))
    await writeAtomic(made, envelope, { label, like, signal })
    refuseIfAborted(signal)
    const isThere = entryAt(join(folder, SIGNATURE_FOLDER)) !== undefined
    const [from, to] = isThere ? [made, SIGNATURE_FILE] : [stage, SIGNATURE_FOLDER]
    await io(doing, () => rename(from, join(folder, to)))
    await syncFolder(isThere ? join(folder, SIGNATURE_FOLDER) : folder)
  } finally {
    await discard(stage)
  }
}
