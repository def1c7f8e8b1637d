// The bytes of a foreign archive → what about its entries is not ours.
import { BLOCK, MTIME_SECONDS, modeOf } from '../bundle/archive.ts'
import { wrapperAt } from '../bundle/wrappers/index.ts'
import { BUNDLE_ROOT, MANIFEST_FILE } from '../model/agent.ts'
import { ARCHIVE_LIMITS } from '../model/limits.ts'
import { type Parser, type ReadEntry, tarParser } from './tar-parser.ts'

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
