// Reads a foreign tar archive, plain or in gzip, as the agent that `rlp agent pack` would read after it was unpacked: the same files
// stay out, and an archive that would not unpack into one folder, each name once, is refused. Nothing is written: the archive is read once
// into memory, within the limits of a bundle.
import { readInTurns } from '../agent/read-in-turns.ts'
import { DEFAULT_LIMITS, type Limits } from '../bundle/archive.ts'
import { blake3Hex, NATIVE_FROM_BYTES, preferNative } from '../bundle/blake3.ts'
import { NotCanonical } from '../bundle/reader.ts'
import { HEAD_BYTES, WRAPPERS, wrapperAt } from '../bundle/wrappers/index.ts'
import { prepend } from '../io/bundle/bundle-bytes.ts'
import { InspectBudget } from '../io/bundle/inspect-budget.ts'
import { chunksAt } from '../io/read/read-file.ts'
import { IGNORE_FILE, type Ignore, ignoreFrom } from '../io/read/walk-tree.ts'
import { breathe, throwIfCancelled, turnsOf } from '../io/wait/breathe.ts'
import { openerOf } from '../io/wrappers/index.ts'
import { countedFindings } from '../lint/lint.ts'
import { type Agent, CASES_FOLDER, MANIFEST_FILE } from '../model/agent.ts'
import type { WrapperName } from '../model/bundle-form.ts'
import { RlpError } from '../model/error.ts'
import { byPath, type FileEntry, type Files, type Oddity } from '../model/files.ts'
import { FOLDER_LIMITS } from '../model/limits.ts'
import { type DigestChange, type Digested, digestManifest } from './digest.ts'
import { type ForeignEntry, ForeignReader } from './foreign-reader.ts'
import { notPackable, notTar } from './foreign-refusals.ts'
import { assertPackable } from './pack.ts'

/** Lint reads folders. */
export const LINT_UNPACKED = 'Unpack it, and run rlp agent lint on the folder, which says what to do'

interface ForeignOptions {
  /** How people call it. */
  readonly label: string
  readonly limits?: Limits
  readonly signal?: AbortSignal
}

export interface ForeignAgent {
  /** With the right digests in its manifest. */
  readonly agent: Agent
  /** What `rlp agent digest` would have written. */
  readonly changes: readonly DigestChange[]
}

/**
 * @param source a path, the archive's bytes, or its bytes in pieces
 * @throws RlpError WRONG_FILE_TYPE when it is no tar archive; NOT_CONVERTIBLE when it holds what no bundle may, or what two readers would
 * read differently; LIMIT_EXCEEDED; LINT_FAILED when there can be no digests; CANCELLED
 */
export async function readForeign(
  source: string | Uint8Array | AsyncIterable<Uint8Array>,
  { label, limits = DEFAULT_LIMITS, signal }: ForeignOptions,
): Promise<ForeignAgent> {
  const reader = new ForeignReader(label, limits)
  await readInto(reader, piecesOf(source, label), label, signal)
  const turn = turnsOf(`reading "${label}"`, signal)
  const read = (files: Files) => readInTurns(files, label, 'archive', turn)
  return digested(await read(await foreignFiles(reader.end(), label)), read)
}

async function digested(agent: Agent, read: (files: Files) => Promise<Agent>): Promise<ForeignAgent> {
  const { text, changes } = digestOr(agent)
  if (changes.length === 0) return { agent, changes }
  const files = withContent(agent.files, MANIFEST_FILE, new TextEncoder().encode(text))
  return { agent: await read(files), changes }
}

/** Lint says more of a manifest that cannot be digested than `digest` does: a file, a line and a column. */
function digestOr(agent: Agent): Digested {
  try {
    return digestManifest(agent)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    assertPackable(agent, countedFindings(agent, new Date()), LINT_UNPACKED)
    throw new RlpError(error.code, error.message, { cause: error, hint: LINT_UNPACKED })
  }
}

async function* piecesOf(
  source: string | Uint8Array | AsyncIterable<Uint8Array>,
  label: string,
): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) yield source
  else if (typeof source !== 'string') yield* source
  else yield* chunksAt(source, { follow: true, label })
}

/** Sixteen kilobytes of gzip can be sixteen megabytes of archive: signals are heard after each. */
const PIECE_BYTES = 16 * 1024

async function readInto(
  reader: ForeignReader,
  source: AsyncIterable<Uint8Array>,
  label: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const pieces = small(source, label, signal)
  const first = await pieces.next()
  if (first.done) return
  const other = otherArchive(first.value)
  if (other !== undefined) throw notTar(label, other)
  const all = prepend(first.value, pieces)
  const wrapper = wrapperAt(first.value)
  try {
    if (wrapper !== undefined) await unwrapInto(reader, wrapper, all, label)
    else for await (const piece of all) reader.push(piece)
  } finally {
    await pieces.return(undefined)
  }
}

async function unwrapInto(
  reader: ForeignReader,
  wrapper: WrapperName,
  pieces: AsyncIterable<Uint8Array>,
  label: string,
): Promise<void> {
  const hint = `Take it out of ${WRAPPERS[wrapper].word} first, and name the .tar`
  let isFirst = true
  const take = (piece: Uint8Array) => {
    if (isFirst && wrapperAt(piece) !== undefined) throw notPackable(label, 'it is compressed twice', hint)
    isFirst = false
    reader.push(piece)
  }
  try {
    await (await openerOf(wrapper)).unwrapForeign(pieces, take)
  } catch (error) {
    throw error instanceof NotCanonical ? notPackable(label, error.message, hint) : error
  }
}

async function* small(
  source: AsyncIterable<Uint8Array>,
  label: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let head: Uint8Array | undefined = new Uint8Array()
  for await (const chunk of source) {
    const bytes: Uint8Array = head === undefined ? chunk : Buffer.concat([head, chunk])
    // The first bytes come together: they tell whether it is wrapped.
    head = head !== undefined && bytes.length < HEAD_BYTES ? bytes : undefined
    for (let at = 0; head === undefined && at < bytes.length; at += PIECE_BYTES) {
      await breathe()
      throwIfCancelled(signal, `reading "${label}"`)
      yield bytes.subarray(at, at + PIECE_BYTES)
    }
  }
}

const MAGIC_BYTES = 8

/** @throws RlpError NOT_CONVERTIBLE, LIMIT_EXCEEDED */
async function foreignFiles(entries: readonly ForeignEntry[], label: string): Promise<Files> {
  const inside = insideOf(entries, label)
  const ignoring = inside.find(({ path, kind }) => path === IGNORE_FILE && kind === 'file')
  const ignored = ignoring && (await ignoreFrom(ignoring.content, `${label}/${IGNORE_FILE}`))
  const out = new LeftOut(inside, ignored)
  const kept = inside.filter(entry => !out.leavesOut(entry))
  const odd = kept.find(({ kind }) => kind !== 'file' && kind !== 'folder')
  if (odd !== undefined) {
    const to = odd.target === undefined ? '' : ` to ${odd.target}`
    throw notPackable(label, `${odd.path} is a ${odd.kind}${to}; bundles hold regular files only`)
  }
  const files = kept.filter(({ kind }) => kind === 'file').sort(byPath)
  const total = files.reduce((sum, { content }) => sum + content.length, 0)
  if (total >= NATIVE_FROM_BYTES) await preferNative()
  const budget = new InspectBudget()
  return filesOf(
    files.map(({ path, content }) => fileOf(path, content, budget)),
    out.oddities.sort(byPath),
  )
}

/** The same files, with another content for one of them. */
function withContent(files: Files, path: string, content: Uint8Array): Files {
  const budget = new InspectBudget()
  const list = files.list.map(entry =>
    fileOf(entry.path, entry.path === path ? content : (entry.content ?? new Uint8Array()), budget),
  )
  return filesOf(list, files.oddities)
}

function insideOf(entries: readonly ForeignEntry[], label: string): ForeignEntry[] {
  try {
    return agentPaths(entries)
  } catch (error) {
    throw error instanceof SyntaxError ? notPackable(label, error.message) : error
  }
}

/** What a source folder leaves out, by the same rules and in the same order as the walk through one. */
class LeftOut {
  readonly oddities: Oddity[] = []
  readonly #agents: ReadonlySet<string>
  readonly #ignored: Ignore | undefined
  readonly #known = new Map<string, boolean>([['', false]])

  constructor(entries: readonly ForeignEntry[], ignored: Ignore | undefined) {
    const manifests = entries.filter(({ path }) => path.endsWith(`/${MANIFEST_FILE}`))
    this.#agents = new Set(manifests.map(({ path }) => path.slice(0, -MANIFEST_FILE.length - 1)))
    this.#ignored = ignored
  }

  leavesOut({ path, kind }: Pick<ForeignEntry, 'path' | 'kind'>): boolean {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    const isBelow = this.leavesOut({ path: parent, kind: 'folder' })
    const what = isBelow ? undefined : this.#whatOf(path, kind === 'folder')
    if (what !== undefined) this.oddities.push({ path, what })
    this.#known.set(path, isBelow || what !== undefined)
    return isBelow || what !== undefined
  }

  #whatOf(path: string, isFolder: boolean): Oddity['what'] | undefined {
    if (path.slice(path.lastIndexOf('/') + 1).startsWith('.')) return 'dot-file'
    if (isFolder && this.#agents.has(path)) return 'other-agent'
    if (isFolder && path === CASES_FOLDER) return 'cases'
    return this.#ignored?.ignores(path, isFolder) ? 'ignored' : undefined
  }
}

function fileOf(path: string, content: Uint8Array, budget: InspectBudget): FileEntry {
  const head = content.slice(0, MAGIC_BYTES)
  const isInspected = budget.takes(path, content.length, head)
  const digest = blake3Hex(content)
  return { path, size: content.length, head, digest, content, bytes: isInspected ? content : undefined }
}

function filesOf(list: readonly FileEntry[], oddities: readonly Oddity[]): Files {
  const index = new Map(list.map(entry => [entry.path, entry]))
  return {
    list,
    oddities,
    get: path => index.get(path),
    open: async function* (path) {
      yield index.get(path)?.content ?? new Uint8Array()
    },
  }
}

/** What systems take as a path. Longer than our own limit is for lint to say, as of a folder. */
const LONGEST = 4096

/** @throws SyntaxError in words: the state of an archive that is refused */
function agentPaths(entries: readonly ForeignEntry[]): ForeignEntry[] {
  const clean = entries.flatMap(entry => {
    const path = cleanPath(entry)
    return path === '' ? [] : [{ ...entry, path }]
  })
  refuseTwice(clean)
  const root = rootOf(clean)
  return clean
    .filter(({ path }) => path.startsWith(root) && path !== root.slice(0, -1))
    .map(entry => ({ ...entry, path: entry.path.slice(root.length) }))
}

/** Without `./` before it and, for a folder, `/` behind it. Empty for the folder that was packed itself. */
function cleanPath({ path, kind }: ForeignEntry): string {
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw new SyntaxError(`${path} is an absolute path`)
  if (path.length > LONGEST) throw new SyntaxError(`${path.slice(0, 100)}… is too long for a path`)
  const inner = kind === 'folder' ? path.replace(/\/$/, '') : path
  if (inner === '.' && kind === 'folder') return ''
  const segments = inner.replace(/^\.\//, '').split('/')
  if (segments.includes('..')) throw new SyntaxError(`${path} leads out of its folder`)
  if (segments.includes('') || segments.includes('.'))
    throw new SyntaxError(`${path} has an empty segment or one that is "."`)
  if (segments.length > FOLDER_LIMITS.depth)
    throw new SyntaxError(`${path.slice(0, 100)}… is more than ${FOLDER_LIMITS.depth} folders deep`)
  return segments.join('/')
}

/** A folder may be named again; an entry may be the folder of others only if it is a folder. */
function refuseTwice(entries: readonly ForeignEntry[]): void {
  const seen = new Map<string, ForeignEntry['kind']>()
  const add = (path: string, kind: ForeignEntry['kind']) => {
    const before = seen.get(path)
    if (before !== undefined && (before !== 'folder' || kind !== 'folder')) {
      const state = before === kind ? 'is there twice' : `is there as a ${before} and as a ${kind}`
      throw new SyntaxError(`${path} ${state}`)
    }
    seen.set(path, kind)
  }
  for (const { path, kind } of entries) {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
      add(path.slice(0, end), 'folder')
    add(path, kind)
  }
}

/** The folder that holds everything, or the one in it, with its slash; or nothing. Dot files beside it are what some systems add. */
function rootOf(entries: readonly ForeignEntry[]): string {
  const paths = new Set(entries.map(({ path }) => path))
  for (let root = ''; ; ) {
    if (paths.has(root + MANIFEST_FILE)) return root
    const names = new Set(
      [...paths]
        .filter(path => path.startsWith(root) && path !== root.slice(0, -1))
        .map(path => path.slice(root.length).split('/', 1)[0] ?? ''),
    )
    const plain = [...names].filter(name => !name.startsWith('.'))
    const [only] = plain.length > 0 ? plain : names
    if (only === undefined || plain.length > 1) break
    root += `${only}/`
  }
  throw new SyntaxError(`there is no ${MANIFEST_FILE} at its top, nor in one folder that holds everything`)
}

const MARKS: readonly (readonly [name: string, mark: string])[] = [
  ['a zip archive', 'PK\x03\x04'],
  ['a zip archive', 'PK\x05\x06'],
  ['a 7z archive', "7z\xbc\xaf'\x1c"],
  ['a rar archive', 'Rar!\x1a\x07'],
  ['compressed by xz', '\xfd7zXZ\0'],
  ['compressed by zstd', '\x28\xb5\x2f\xfd'],
]

export function otherArchive(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.subarray(0, 8)).toString('latin1')
  // bzip2 begins with printable characters, a digit, and the first digits of pi.
  if (/^BZh[1-9]1AY&/.test(text)) return 'compressed by bzip2'
  return MARKS.find(([, mark]) => text.startsWith(mark))?.[0]
}
