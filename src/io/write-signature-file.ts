// A new SIGNATURES/manifest.sig into an unpacked bundle. Whoever looks in between sees the old signature or the new one: an unpacked
// bundle with anything else in it, such as a temporary file, is invalid.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SIGNATURE_FILE, SIGNATURE_FOLDER } from '../model/agent.ts'
import { io } from './fail.ts'
import { entryAt, isAlive, refuseIfAborted, syncFolder, writeAtomic } from './write-atomic.ts'

/** @param folder the unpacked bundle; what is new is made beside it and moved in with one rename */
export async function writeSignatureFile(
  folder: string,
  envelope: Uint8Array,
  { label, signal }: { readonly label: string; readonly signal?: AbortSignal },
): Promise<void> {
  const doing = `write "${label}/${SIGNATURE_FILE}"`
  const parent = dirname(folder)
  const prefix = `.${basename(folder)}.rlp-sign-`
  await removeLeftovers(parent, prefix)
  const stage = join(parent, `${prefix}${process.pid}-${randomBytes(6).toString('hex')}`)
  await io(doing, () => mkdir(stage))
  try {
    const made = join(stage, basename(SIGNATURE_FILE))
    const like = await entryAt(join(folder, SIGNATURE_FILE))
    await writeAtomic(made, envelope, { label, ...(like && { like }), ...(signal && { signal }) })
    refuseIfAborted(signal)
    const isThere = (await entryAt(join(folder, SIGNATURE_FOLDER))) !== undefined
    const [from, to] = isThere ? [made, SIGNATURE_FILE] : [stage, SIGNATURE_FOLDER]
    await io(doing, () => rename(from, join(folder, to)))
    await syncFolder(isThere ? join(folder, SIGNATURE_FOLDER) : folder)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** What a killed run left behind. One that still runs keeps its own. */
async function removeLeftovers(parent: string, prefix: string): Promise<void> {
  for (const name of await io(`write to "${parent}"`, () => readdir(parent))) {
    const pid = name.startsWith(prefix)
      ? Number(/^([0-9]{1,9})-[0-9a-f]{12}$/.exec(name.slice(prefix.length))?.[1])
      : 0
    if (pid && !isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true })
  }
}
