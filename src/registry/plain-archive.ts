// A bundle on disk, in any form → its plain archive, read once: what it is, and the name of its bytes in a registry.
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HEAD_BYTES, wrapperAt } from '../bundle/wrappers/index.ts'
import { archiveOf } from '../bundle/writer.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import { ioNow } from '../io/fail.ts'
import { kindAt, type Target } from '../io/find/search-folders.ts'
import { type OpenFile, openFile, readAt, readChunks, withFile } from '../io/read/read-file.ts'
import { discard } from '../io/write/write-atomic.ts'
import type { Candidate } from '../model/bundle.ts'
import { soundBundle } from '../verify/sound.ts'
import type { OpenFrom } from './store.ts'

export interface PlainArchive {
  readonly candidate: Candidate
  /** `sha256:…` of the archive's bytes. */
  readonly digest: string
  readonly size: number
  readonly open: OpenFrom
  /** Removes what was made for it. */
  close(): Promise<void>
}

/** A wrapper is taken off, and a folder packed, into a file of its own first: an upload that breaks begins again anywhere. */
export async function plainArchive({ path, label }: Target, signal: AbortSignal): Promise<PlainArchive> {
  if (kindAt(path) === 'folder') {
    const { files, refusal } = await readBundle(path, { keep: 'parsed', label, signal })
    if (refusal?.error !== undefined) throw refusal.error
    return copied(label, signal, async write => {
      for await (const chunk of archiveOf(files, label)) write(chunk)
    })
  }
  const copy = await withFile(openFile(path, { follow: true, label }), async file => {
    const head = new Uint8Array(HEAD_BYTES)
    await readAt(file, head, 0)
    if (wrapperAt(head) === undefined) return undefined
    return copied(label, signal, write => unwrapped(file, label, signal, write))
  })
  return copy ?? readPlain(path, label, signal, async () => {})
}

/** Held to the limits of a bundle while it is written: what is wrapped can be endless. @throws RlpError NOT_VERIFIED, LIMIT_EXCEEDED */
async function unwrapped(
  file: OpenFile,
  label: string,
  signal: AbortSignal,
  write: (chunk: Uint8Array) => void,
): Promise<void> {
  const options = { keep: 'parsed', label, signal, size: file.size, plain: write } as const
  const candidate = await readBundle(readChunks(file), options)
  if (candidate.refusal !== undefined) await soundBundle(candidate, 'push', signal)
}

async function copied(
  label: string,
  signal: AbortSignal,
  make: (write: (chunk: Uint8Array) => void) => void | Promise<void>,
): Promise<PlainArchive> {
  const doing = `unwrap "${label}"`
  const folder = ioNow(doing, () => mkdtempSync(join(tmpdir(), 'rlp-push-')))
  const path = join(folder, 'bundle')
  try {
    const fd = ioNow(doing, () => openSync(path, 'wx', 0o600))
    try {
      await make(chunk => {
        for (let at = 0; at < chunk.length; ) at += ioNow(doing, () => writeSync(fd, chunk, at))
      })
    } finally {
      closeSync(fd)
    }
    return await readPlain(path, label, signal, () => discard(folder))
  } catch (error) {
    await discard(folder)
    throw error
  }
}

async function readPlain(
  path: string,
  label: string,
  signal: AbortSignal,
  close: () => Promise<void>,
): Promise<PlainArchive> {
  return withFile(openFile(path, { follow: true, label }), async file => {
    const hash = createHash('sha256')
    async function* hashed() {
      for await (const chunk of readChunks(file)) {
        hash.update(chunk)
        yield chunk
      }
    }
    const { size } = file
    const candidate = await readBundle(hashed(), { keep: 'parsed', label, signal, size, unsigned: true })
    const digest = `sha256:${hash.digest('hex')}`
    return { candidate, digest, size, open: from => bytesFrom(path, label, from), close }
  })
}

const CHUNK_BYTES = 1024 * 1024

async function* bytesFrom(path: string, label: string, from: number): AsyncGenerator<Uint8Array> {
  const file = await openFile(path, { follow: true, label })
  try {
    for (let at = from; at < file.size; ) {
      // A new buffer each time: a socket may still hold the last one.
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, file.size - at))
      const count = await readAt(file, buffer, at)
      if (count === 0) return
      at += count
      yield buffer.subarray(0, count)
    }
  } finally {
    file.handle.close()
  }
}
