// A bundle that is on the disk → its archive, read once for its verdict and once more for its place.
import { NotCanonical } from '../bundle/reader.ts'
import { archiveBytes, archiveOf, changed } from '../bundle/writer.ts'
import { PlainDigest, stopWhenAborted } from '../io/bundle/bundle-bytes.ts'
import type { Target } from '../io/find/find-agents.ts'
import { openFile, readChunks, withFile } from '../io/read/read-file.ts'
import { breathe } from '../io/wait/breathe.ts'
import { openerOf } from '../io/wrappers/index.ts'
import { NewFile } from '../io/write/new-files.ts'
import { refuseIfAborted } from '../io/write/write-atomic.ts'
import type { WrapperName } from '../model/bundle-form.ts'
import type { Incoming } from './incoming.ts'

/** Nothing is written before the verdict. */
export function onDisk({ path, label }: Target, signal: AbortSignal): Incoming {
  const digest = new PlainDigest()
  return {
    plain: digest.add,
    refuseIfFailed() {},
    async archive({ candidate: { form, files } }) {
      const write = async (take: (piece: Uint8Array) => void) => {
        if (form === 'directory') {
          for await (const chunk of archiveOf(files, label)) {
            refuseIfAborted(signal)
            take(chunk)
            await breathe()
          }
        } else await plainPieces(path, form === 'archive' ? undefined : form, label, take, signal)
      }
      if (form === 'directory') await write(digest.add)
      const most = archiveBytes(files.list)
      return {
        digest: digest.hex(),
        label,
        files: files.list,
        putAt: (place, name) => newFile(place, name, write, most, label),
      }
    },
    async close() {},
  }
}

async function newFile(
  path: string,
  name: string,
  write: (take: (piece: Uint8Array) => void) => Promise<void>,
  most: number,
  label: string,
): Promise<void> {
  const file = new NewFile(path, 0o644, `write "${name}"`)
  let bytes = 0
  try {
    await write(piece => {
      bytes += piece.length
      if (bytes > most) throw changed(label)
      file.add(piece)
    })
  } finally {
    file.close()
  }
}

async function plainPieces(
  path: string,
  wrapper: WrapperName | undefined,
  label: string,
  take: (piece: Uint8Array) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    await withFile(openFile(path, { follow: true, label }), async file => {
      const chunks = stopWhenAborted(readChunks(file), label, signal)
      if (wrapper !== undefined) await (await openerOf(wrapper)).unwrap(chunks, take)
      else for await (const chunk of chunks) take(chunk)
    })
  } catch (error) {
    // It was as it has to be when it was verified.
    throw error instanceof NotCanonical ? changed(label) : error
  }
}
