// A folder on disk → Files. Never follows a link, never leaves the folder, never reads a file twice.
import type { Dirent } from 'node:fs'
import { lstat, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DEFAULT_LIMITS, type Limits, MAX_FILE_BYTES } from '../format/archive.ts'
import { hasher, NATIVE_FROM_BYTES, preferNative } from '../format/blake3.ts'
import { type IgnoreFile, readIgnoreFile } from '../format/ignore-file.ts'
import { decodeText, MAX_TEXT_BYTES } from '../format/text.ts'
import { RlpError } from '../model/error.ts'
import { byPath, type FileEntry, type Files, type Oddity } from '../model/files.ts'
import { io } from './fail.ts'
import { openFile, readChunks, readWhole } from './read-file.ts'

export interface ReadTreeOptions {
  /** `source`: dot files and what `.bundleignore` names stay out. `as-it-stands`: an unpacked bundle, nothing is left out (DESIGN §3.1). */
  readonly as: 'source' | 'as-it-stands'
  /** `all` reads every file and digests it; `held` leaves large files for {@link Files.open}. */
  readonly digest: 'all' | 'held'
  /** `all` keeps every file's bytes; without it, those of files that get parsed and of small ones. */
  readonly hold?: 'parsed' | 'all'
  readonly limits?: Limits
  readonly signal?: AbortSignal
}

const IGNORE_FILE = '.bundleignore'
/** Files that get parsed; anything else is held only while it is small. */
const PARSED =
  /^(?:manifest\.toml|policy\.caps|tools\.json|interfaces\.json|SIGNATURES\/.*|schemas\/.*\.json)$/

/** Whether verification looks into a file, and so needs its bytes. */
export function isParsed(path: string): boolean {
  return PARSED.test(path)
}

const WASM = /\.wasm$/
const HELD_WASM_BYTES = 32 * 1024 * 1024
const HELD_OTHER_BYTES = 64 * 1024
const HELD_OTHER_TOTAL = 64 * 1024 * 1024
/** Deeper folders cannot be packed: a path of 256 bytes has at most 128 segments. */
const MAX_DEPTH = 128

/**
 * @param root a folder; a link to one is followed, because the caller named it
 * @param label how people call it
 * @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION, LIMIT_EXCEEDED, CHANGED_WHILE_READING
 */
export async function readTree(root: string, label: string, options: ReadTreeOptions): Promise<Files> {
  const limits = options.limits ?? DEFAULT_LIMITS
  const found = await walk(root, label, options, limits)
  const total = found.files.reduce((sum, file) => sum + file.size, 0)
  if (options.as === 'as-it-stands') refuseLarge(found.files, total, label, limits)
  if (options.digest === 'all' && total >= NATIVE_FROM_BYTES) await preferNative()
  let heldOther = 0
  const holds = ({ path, size }: { path: string; size: number }) => {
    if (options.hold === 'all') return true
    if (PARSED.test(path)) return size <= MAX_TEXT_BYTES
    if (WASM.test(path)) return size <= HELD_WASM_BYTES
    if (size > HELD_OTHER_BYTES || heldOther + size > HELD_OTHER_TOTAL) return false
    heldOther += size
    return true
  }
  const list: FileEntry[] = []
  for (const file of found.files.sort(byPath)) {
    const held = holds(file)
    const isRead = held || options.digest === 'all' || WASM.test(file.path)
    list.push(isRead ? await readEntry(root, label, file, held, options.signal) : file)
  }
  const index = new Map(list.map(entry => [entry.path, entry]))
  return {
    list,
    oddities: found.oddities.sort(byPath),
    get: path => index.get(path),
    open: path => openEntry(root, label, index.get(path)),
  }
}

async function readEntry(
  root: string,
  label: string,
  file: { path: string; size: number },
  held: boolean,
  signal: AbortSignal | undefined,
): Promise<FileEntry> {
  const name = `${label}/${file.path}`
  const open = await openFile(join(root, file.path), { follow: false, label: name })
  try {
    const hash = hasher()
    if (held) {
      const bytes = await readWhole(open, name)
      return {
        path: file.path,
        size: bytes.length,
        bytes,
        head: bytes.subarray(0, 8),
        digest: hash.update(bytes).hex(),
      }
    }
    let head: Uint8Array | undefined
    for await (const chunk of readChunks(open, name)) {
      if (signal?.aborted) throw new RlpError('CANCELLED', `Cancelled while reading "${name}"`)
      head ??= chunk.slice(0, 8)
      hash.update(chunk)
    }
    return { path: file.path, size: open.size, head: head ?? new Uint8Array(), digest: hash.hex() }
  } finally {
    await open.handle.close()
  }
}

async function* openEntry(
  root: string,
  label: string,
  entry: FileEntry | undefined,
): AsyncGenerator<Uint8Array> {
  if (entry === undefined) throw new TypeError('no such entry in this tree')
  if (entry.bytes !== undefined) {
    yield entry.bytes
    return
  }
  const name = `${label}/${entry.path}`
  const open = await openFile(join(root, entry.path), { follow: false, label: name })
  try {
    if (open.size !== entry.size) {
      throw new RlpError(
        'CHANGED_WHILE_READING',
        `Cannot read "${name}": its size changed while it was read`,
        {
          hint: 'Wait until nothing writes to it, then run the command again',
        },
      )
    }
    yield* readChunks(open, name)
  } finally {
    await open.handle.close()
  }
}

interface Found {
  readonly files: { path: string; size: number }[]
  readonly oddities: Oddity[]
}

async function walk(root: string, label: string, options: ReadTreeOptions, limits: Limits): Promise<Found> {
  const found: Found = { files: [], oddities: [] }
  const ignored = options.as === 'source' ? await readIgnores(root, label) : undefined
  const pending: { path: string; depth: number }[] = [{ path: '', depth: 0 }]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    let entries = 0
    const where = folder.path === '' ? label : `${label}/${folder.path}`
    const dir = await io(`read the folder "${where}"`, () => opendir(join(root, folder.path)))
    for await (const dirent of dir) {
      entries++
      if (options.signal?.aborted) throw new RlpError('CANCELLED', `Cancelled while reading "${label}"`)
      const path = folder.path === '' ? dirent.name : `${folder.path}/${dirent.name}`
      const kind = await kindOf(dirent, join(root, path), `${label}/${path}`)
      const oddity = oddityOf(path, kind, options.as, ignored)
      if (oddity !== undefined) found.oddities.push({ path, what: oddity })
      if (kind === 'link' || kind === 'special' || (oddity !== undefined && options.as === 'source')) continue
      if (kind === 'folder') {
        if (folder.depth >= MAX_DEPTH) refuseTree(label, `folders are nested more than ${MAX_DEPTH} deep`)
        pending.push({ path, depth: folder.depth + 1 })
      } else {
        found.files.push({ path, size: kind.size })
        if (found.files.length > limits.files) refuseTree(label, `it holds more than ${limits.files} files`)
      }
    }
    if (entries === 0 && folder.path !== '')
      found.oddities.push({ path: folder.path, what: 'empty-directory' })
  }
  return found
}

type Kind = 'link' | 'special' | 'folder' | { readonly size: number }

async function kindOf(dirent: Dirent, path: string, label: string): Promise<Kind> {
  if (dirent.isDirectory()) return 'folder'
  if (dirent.isSymbolicLink()) return 'link'
  // The size is needed anyway, and some file systems leave the type out of the directory.
  const stat = await io(`look at "${label}"`, () => lstat(path))
  if (stat.isFile()) return { size: stat.size }
  if (stat.isDirectory()) return 'folder'
  return stat.isSymbolicLink() ? 'link' : 'special'
}

function oddityOf(
  path: string,
  kind: Kind,
  as: ReadTreeOptions['as'],
  ignored: Extract<IgnoreFile, { ok: true }> | undefined,
): Oddity['what'] | undefined {
  const isDot = path.slice(path.lastIndexOf('/') + 1).startsWith('.')
  // A link or a device that would stay out anyway is nobody's problem in a source folder.
  if (isDot && as === 'source') return 'dot-file'
  if (ignored?.ignores(path, kind === 'folder')) return 'ignored'
  if (kind === 'link' || kind === 'special') return kind
  return isDot ? 'dot-file' : undefined
}

async function readIgnores(
  root: string,
  label: string,
): Promise<Extract<IgnoreFile, { ok: true }> | undefined> {
  const path = join(root, IGNORE_FILE)
  const name = `${label}/${IGNORE_FILE}`
  const there = await stat(path).catch(error => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (there === undefined) return undefined
  const open = await openFile(path, { follow: false, label: name })
  try {
    const decoded = decodeText(await readWhole(open, name), 64 * 1024)
    if (!decoded.ok && decoded.problem.code === 'empty') return undefined
    const file = decoded.ok
      ? readIgnoreFile(decoded.text)
      : { ok: false as const, line: 1, reason: decoded.problem.message }
    if (file.ok) return file
    throw new RlpError('LIMIT_EXCEEDED', `Cannot use "${name}": line ${file.line}: ${file.reason}`, {
      hint: 'Write simpler patterns, one per line, in gitignore syntax',
    })
  } finally {
    await open.handle.close()
  }
}

/** An unpacked bundle keeps the limits of a packed one. A source folder is lint's to judge (files/limit). */
function refuseLarge(files: Found['files'], total: number, label: string, limits: Limits): void {
  const large = files.find(({ size }) => size > Math.min(limits.fileBytes, MAX_FILE_BYTES))
  if (large) refuseTree(label, `${large.path} is larger than ${limits.fileBytes} bytes`)
  if (total > limits.totalBytes) refuseTree(label, `it holds more than ${limits.totalBytes} bytes`)
}

function refuseTree(label: string, state: string): never {
  throw new RlpError('LIMIT_EXCEEDED', `Cannot read "${label}": ${state}`, {
    hint: 'Name the agent’s folder itself, or leave files out with .bundleignore',
  })
}
