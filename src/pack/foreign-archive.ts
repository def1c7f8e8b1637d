// Lists in words why an archive is not canonical. Nothing is unpacked, and none of its content is used.
import type { Duplex } from 'node:stream'
import { BLOCK, MTIME_SECONDS, modeOf } from '../bundle/archive.ts'
import { wrapperAt } from '../bundle/wrappers/index.ts'
import { chunksAt } from '../io/read/read-file.ts'
import { openerOf } from '../io/wrappers/index.ts'
import { BUNDLE_ROOT, MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { ARCHIVE_LIMITS } from '../model/limits.ts'
import { type Parser, type ReadEntry, tarParser } from './foreign-reader.ts'

/**
 * @returns sentences, the most important first; none if `tar` cannot read it
 * @throws RlpError if the file cannot be read
 */
export async function foreignReasons(path: string, label: string): Promise<string[]> {
  const chunks = chunksAt(path, { follow: true, label })
  const survey = new Survey()
  try {
    const first = await chunks.next()
    if (first.done) return []
    const all = joined(first.value, chunks)
    const wrapper = wrapperAt(first.value)
    if (wrapper !== undefined) await inflate(all, (await openerOf(wrapper)).lenient(), survey)
    else for await (const chunk of all) if (!survey.push(chunk)) break
    return survey.reasons()
  } finally {
    await chunks.return(undefined)
  }
}

/** The same for a hint after the verdict: a file that has changed since then gets none. */
export async function looksForeign(path: string, label: string): Promise<boolean> {
  try {
    return (await foreignReasons(path, label)).length > 0
  } catch (error) {
    if (error instanceof RlpError) return false
    throw error
  }
}

async function* joined(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

/** Stops at the first damage: the reasons found so far are still useful. */
async function inflate(chunks: AsyncIterable<Uint8Array>, inflated: Duplex, survey: Survey): Promise<void> {
  let isOver = false
  // Attached before the first write: with bytes behind its last member, it ends before all of them are written.
  const over = new Promise<void>(resolve => {
    const stop = () => {
      isOver = true
      resolve()
    }
    inflated.on('data', (piece: Buffer) => {
      if (!isOver && !survey.push(piece)) stop()
    })
    for (const event of ['error', 'end', 'close']) inflated.on(event, stop)
  })
  try {
    for await (const chunk of chunks) {
      if (isOver) return
      // Copied: the buffer is reused before it was read.
      if (!inflated.write(Buffer.from(chunk)))
        await Promise.race([new Promise(resolve => inflated.once('drain', resolve)), over])
    }
    inflated.end()
    await over
  } finally {
    inflated.destroy()
  }
}

/** The rest of an archive is not read: a few megabytes can inflate to terabytes. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_ENTRIES = ARCHIVE_LIMITS.files
const ROOT = `${BUNDLE_ROOT}/`

/** A kind of problem: its count, and the first entry with it. */
type Kind = 'outside' | 'link' | 'device' | 'folder' | 'root' | 'extended' | 'meta'

const WORDS: Readonly<Record<Kind, readonly [one: string, many: string]>> = {
  outside: ['has a path that leads out of any folder', 'have paths that lead out of any folder'],
  link: ['is a link', 'are links'],
  device: ['is no file', 'are no files'],
  folder: [
    'is an entry for a folder; only files have entries',
    'are entries for folders; only files have entries',
  ],
  root: [`is not below ${ROOT}`, `are not below ${ROOT}`],
  extended: ['has an extended header', 'have extended headers'],
  meta: [
    'has a mode, owner or date of the disk it came from',
    'have modes, owners or dates of the disk they came from',
  ],
}

/** Reads an uncompressed archive as it arrives, and remembers the problems of its entries. */
export class Survey {
  readonly #found = new Map<Kind, { count: number; first: string }>()
  readonly #parser: Parser
  /** Buffered up to one block: the first bytes show whether it is compressed. */
  #head: Buffer | undefined = Buffer.alloc(0)
  #bytes = 0
  #entries = 0
  #hasManifest = false
  #isOver = false

  constructor() {
    this.#parser = tarParser({
      filter: (_, entry) => {
        this.#take(entry as ReadEntry)
        return false
      },
    })
    this.#parser.on('meta', () => this.#note('extended', 'an entry'))
    for (const end of ['error', 'eof'])
      this.#parser.on(end, () => {
        this.#isOver = true
      })
  }

  /** @returns whether more bytes are needed */
  push(chunk: Uint8Array): boolean {
    this.#bytes += chunk.length
    if (this.#head !== undefined) {
      this.#head = Buffer.concat([this.#head, chunk])
      if (this.#head.length < BLOCK) return true
    }
    const bytes = this.#head ?? Buffer.from(chunk)
    // The parser would inflate it without a bound.
    if (this.#head !== undefined && wrapperAt(bytes) !== undefined) this.#isOver = true
    this.#head = undefined
    if (this.#isOver || this.#entries > MOST_ENTRIES) return false
    this.#parser.write(bytes)
    return this.#bytes < MOST_BYTES
  }

  reasons(): string[] {
    if (this.#entries === 0) return []
    const found = (Object.keys(WORDS) as Kind[]).flatMap(kind => {
      const seen = this.#found.get(kind)
      if (seen === undefined) return []
      const [one, many] = WORDS[kind]
      return [seen.count === 1 ? `${seen.first} ${one}` : `${seen.first} and ${seen.count - 1} more ${many}`]
    })
    return this.#hasManifest ? found : [`There is no ${MANIFEST_FILE} below ${ROOT}`, ...found]
  }

  #take(entry: ReadEntry): void {
    this.#entries++
    const { path } = entry
    if (path === `${ROOT}${MANIFEST_FILE}`) this.#hasManifest = true
    if (path.startsWith('/') || path.split('/').includes('..')) this.#note('outside', path)
    const kind = kindOf(entry)
    if (kind !== undefined) this.#note(kind, path)
  }

  #note(kind: Kind, path: string): void {
    const seen = this.#found.get(kind)
    if (seen === undefined) this.#found.set(kind, { count: 1, first: path })
    else seen.count++
  }
}

const TYPES: Readonly<Record<string, Kind | undefined>> = {
  File: undefined,
  OldFile: undefined,
  Directory: 'folder',
  Link: 'link',
  SymbolicLink: 'link',
}

function kindOf({ path, type, mode, uid, gid, uname, gname, mtime }: ReadEntry): Kind | undefined {
  if (!Object.hasOwn(TYPES, type)) return 'device'
  if (TYPES[type] !== undefined) return TYPES[type]
  if (!path.startsWith(ROOT)) return 'root'
  const isOurs = uid === 0 && gid === 0 && !uname && !gname && mtime?.getTime() === MTIME_SECONDS * 1000
  return isOurs && mode === modeOf(path.slice(ROOT.length)) ? undefined : 'meta'
}
