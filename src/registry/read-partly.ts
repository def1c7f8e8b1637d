// A bundle that is looked at and not loaded → its texts, fetched by ranges: manifest and signature come first, and each header says where
// the next one is. Programs stay where they are, so what is read can be refused, and never trusted.
import { archiveOrder, BLOCK, paddingAfter, readHeader } from '../format/archive/header.ts'
import { pathClashes } from '../format/path.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import type { Candidate, Refusal } from '../model/bundle.ts'
import { byPath, type FileEntry } from '../model/files.ts'
import { byteLimit, PARSE_LIMITS } from '../model/limits.ts'
import type { ReaderParts } from './read-carried.ts'

type LookingParts = Pick<ReaderParts, 'isDocument' | 'digestOf'>
type ReadPart = (first: number, length: number) => Promise<Uint8Array>

/** Reading less at once costs more requests than bytes. */
const FIRST_BYTES = 8000
const NEXT_BYTES = 12_000
/** So many tell what a program is. */
const HEAD_BYTES = 8
/** A bundle of many programs is better fetched whole. This bounds the files, too: each has a header. */
const MOST_PARTS = 64

/** @throws RlpError as `part` does; a wrong form is the candidate's refusal */
export async function readPartly(
  size: number,
  part: ReadPart,
  label: string,
  parts: LookingParts,
): Promise<Candidate> {
  const window = new Window(size, part)
  const list: FileEntry[] = []
  const partial = (refusal?: Refusal): Candidate => {
    const sorted = [...list].sort(byPath)
    const index = new Map(sorted.map(entry => [entry.path, entry]))
    const files = { list: sorted, oddities: [], get: (path: string) => index.get(path), open: notHeld }
    return { label, form: 'archive', isPartial: true, files, refusal }
  }
  const wrong = (message: string, at: number) => partial({ why: 'form', message: `${message} (byte ${at})` })
  let texts = 0
  for (let at = 0; ; ) {
    if (window.parts >= MOST_PARTS)
      return partial({
        why: 'io',
        message: `Cannot look into "${label}": its texts are in more than ${MOST_PARTS} places`,
      })
    if (at + BLOCK > size) return wrong('the archive is cut off', size)
    const block = await window.bytes(at, BLOCK)
    if (isZero(block)) {
      if (at + 2 * BLOCK !== size || !isZero(await window.bytes(at, 2 * BLOCK)))
        return wrong('the archive does not end in two zero blocks', at)
      const [clash] = pathClashes(list.map(({ path }) => path))
      return clash === undefined ? partial() : wrong(`${clash.second} ${clash.words}`, at)
    }
    const header = readHeader(block)
    if (!header.ok) return wrong(header.reason, at)
    const { path, size: length } = header
    const previous = list.at(-1)?.path
    if (previous !== undefined && archiveOrder(previous, path) >= 0)
      return wrong(`${path} comes after ${previous}; the order is fixed`, at)
    const next = at + BLOCK + length + paddingAfter(length)
    if (next > size) return wrong('the archive is cut off', size)
    const isText = (parts.isDocument(path) || path === SIGNATURE_FILE) && length <= PARSE_LIMITS.textBytes
    texts += isText ? length : 0
    if (texts > PARSE_LIMITS.allTextBytes)
      return wrong(`its texts have more than ${byteLimit(PARSE_LIMITS.allTextBytes)} together`, at)
    list.push(await entryAt(window, { path, size: length, isText }, at + BLOCK, parts))
    at = next
  }
}

async function entryAt(
  window: Window,
  { path, size, isText }: { readonly path: string; readonly size: number; readonly isText: boolean },
  at: number,
  { digestOf }: LookingParts,
): Promise<FileEntry> {
  // What comes first in it was fetched with its header: that never ends where a window does.
  if (!isText && !window.has(at, size))
    return {
      path,
      size,
      isNotFetched: true,
      head: (await window.bytes(at, Math.min(HEAD_BYTES, size))).slice(),
    }
  const content = (await window.bytes(at, size)).slice()
  return {
    path,
    size,
    digest: digestOf(content),
    head: content.slice(0, HEAD_BYTES),
    bytes: content,
    content,
  }
}

/** What was fetched last. Its end is always further than what was asked for, where there is more. */
class Window {
  readonly #size: number
  readonly #part: ReadPart
  #start = 0
  #held = new Uint8Array()
  parts = 0

  constructor(size: number, part: ReadPart) {
    this.#size = size
    this.#part = part
  }

  has(at: number, length: number): boolean {
    return at >= this.#start && at + length <= this.#start + this.#held.length
  }

  async bytes(at: number, length: number): Promise<Uint8Array> {
    if (!this.has(at, length)) {
      const wanted = Math.max(length, this.parts === 0 ? FIRST_BYTES : NEXT_BYTES)
      this.parts++
      this.#held = Uint8Array.from(await this.#part(at, Math.min(wanted, this.#size - at)))
      this.#start = at
    }
    return this.#held.subarray(at - this.#start, at - this.#start + length)
  }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every(byte => byte === 0)
}

function notHeld(): never {
  throw new TypeError('the content of this entry was not fetched')
}
