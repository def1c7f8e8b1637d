// Lists the paths and sizes in a folder, and everything in it that is not a plain file. Leaves out what .bundleignore names, and variants
// with a manifest of their own. Never follows a link and never leaves the folder.
import { type Dirent, lstatSync, opendirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { IgnoreFile } from '../../agent/ignore-file.ts'
import { beyondLimits, type Limits, MAX_FILE_BYTES } from '../../bundle/archive.ts'
import { CASES_FOLDER, MANIFEST_FILE } from '../../model/agent.ts'
import { RlpError } from '../../model/error.ts'
import type { Oddity } from '../../model/files.ts'
import { ASK_FOR_LESS, FOLDER_LIMITS } from '../../model/limits.ts'
import { decodeText } from '../../text/decode.ts'
import { ioError, ioNow } from '../fail.ts'
import { breathe, throwIfCancelled } from '../wait/breathe.ts'
import { entryOrNothing } from './entry.ts'
import type { OpenFolders } from './open-folders.ts'
import { readWhole, withFile } from './read-file.ts'

interface WalkOptions {
  /** `source`: without dot files and the files that `.bundleignore` names. `as-it-stands`: an unpacked bundle, with every file. */
  readonly as: 'source' | 'as-it-stands'
  readonly limits: Limits
  readonly signal: AbortSignal | undefined
}

interface Walked {
  readonly files: { readonly path: string; readonly size: number }[]
  readonly oddities: Oddity[]
}

/** @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION, LIMIT_EXCEEDED, CANCELLED */
export async function walkTree(folders: OpenFolders, label: string, options: WalkOptions): Promise<Walked> {
  const found: Walked = { files: [], oddities: [] }
  const ignored = options.as === 'source' ? await readIgnores(folders, label) : undefined
  const pending: { path: string; depth: number }[] = [{ path: '', depth: 0 }]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    let entries = 0
    const where = folder.path === '' ? label : `${label}/${folder.path}`
    const inside = folders.at(folder.path)
    for await (const dirent of entriesOf(inside, where)) {
      entries++
      await breathe()
      throwIfCancelled(options.signal, `reading "${label}"`)
      const path = folder.path === '' ? dirent.name : `${folder.path}/${dirent.name}`
      // Skipped without a stat: the temporary file of another run may vanish before it.
      if (options.as === 'source' && dirent.name.startsWith('.')) {
        found.oddities.push({ path, what: 'dot-file' })
        continue
      }
      if (!isTextName(dirent.name)) {
        if (!ignored?.ignores(path, dirent.isDirectory())) refuseName(`${label}/${path}`)
        found.oddities.push({ path, what: 'ignored' })
        continue
      }
      const kind = kindOf(dirent, inside + dirent.name, `${label}/${path}`)
      const what =
        options.as === 'source' && kind === 'folder'
          ? (folderOddity(path, inside + dirent.name) ?? oddityOf(path, kind, ignored))
          : oddityOf(path, kind, ignored)
      if (what !== undefined)
        found.oddities.push({ path, what, ...detailOf(what, inside + dirent.name, `${label}/${path}`) })
      if (kind === 'link' || kind === 'special' || (what !== undefined && options.as === 'source')) continue
      if (kind === 'folder') {
        if (folder.depth >= FOLDER_LIMITS.depth)
          refuseTree(label, `folders are nested more than ${FOLDER_LIMITS.depth} deep`)
        pending.push({ path, depth: folder.depth + 1 })
      } else {
        found.files.push({ path, size: kind.size })
        if (found.files.length > options.limits.files)
          refuseTree(label, `it holds more than ${options.limits.files} files`)
      }
    }
    folders.check(folder.path)
    if (entries === 0 && folder.path !== '')
      found.oddities.push({ path: folder.path, what: 'empty-directory' })
  }
  return found
}

/** One by one: a folder can hold more names than fit into the memory. */
async function* entriesOf(path: string, label: string): AsyncGenerator<Dirent> {
  const doing = `read the folder "${label}"`
  const dir = ioNow(doing, () => opendirSync(path))
  const read = () => ioNow(doing, () => dir.readSync())
  try {
    for (let next = read(); next !== null; next = read()) yield next
  } finally {
    dir.closeSync()
  }
}

/** An unpacked bundle has the limits of a packed one. A source folder is judged by lint (files/limit). */
export function refuseLarge(files: Walked['files'], total: number, label: string, limits: Limits): void {
  const last = files.find(({ size }) => size > Math.min(limits.fileBytes, MAX_FILE_BYTES))
  const beyond = beyondLimits({ files: files.length, total, last }, limits)
  if (beyond !== undefined) refuseTree(label, beyond, ASK_FOR_LESS)
}

function refuseTree(label: string, state: string, hint = LEAVE_OUT): never {
  throw new RlpError('LIMIT_EXCEEDED', `Cannot read "${label}": ${state}`, { hint })
}

const LEAVE_OUT = 'Name the agent’s folder itself, or leave files out with .bundleignore'

type Kind = 'link' | 'special' | 'folder' | { readonly size: number }

function kindOf(dirent: Dirent, path: string, label: string): Kind {
  if (dirent.isDirectory()) return 'folder'
  if (dirent.isSymbolicLink()) return 'link'
  // The size is needed anyway, and some file systems do not store the type in the directory.
  const stat = ioNow(`look at "${label}"`, () => lstatSync(path))
  if (stat.isFile()) return { size: stat.size }
  if (stat.isDirectory()) return 'folder'
  return stat.isSymbolicLink() ? 'link' : 'special'
}

function folderOddity(path: string, place: string): Oddity['what'] | undefined {
  if (isAgent(place)) return 'other-agent'
  return path === CASES_FOLDER ? 'cases' : undefined
}

function oddityOf(path: string, kind: Kind, ignored: Ignore | undefined): Oddity['what'] | undefined {
  // In a source folder, a link or a device that is ignored anyway is not a problem.
  if (ignored?.ignores(path, kind === 'folder')) return 'ignored'
  if (kind === 'link' || kind === 'special') return kind
  return path.slice(path.lastIndexOf('/') + 1).startsWith('.') ? 'dot-file' : undefined
}

/** The target of a link, for people; empty if the link is gone meanwhile. */
function detailOf(what: Oddity['what'], path: string, label: string): { detail?: string } {
  if (what !== 'link') return {}
  try {
    return { detail: readlinkSync(path) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EINVAL') return {}
    throw ioError(`look at "${label}"`, error)
  }
}

async function readIgnores(folders: OpenFolders, label: string): Promise<Ignore | undefined> {
  const name = `${label}/${IGNORE_FILE}`
  if (entryOrNothing(folders.at('') + IGNORE_FILE) === undefined) return undefined
  return ignoreFrom(await withFile(folders.open(IGNORE_FILE, name), readWhole), name)
}

export const IGNORE_FILE = '.bundleignore'
const IGNORE_FILE_BYTES = 64 * 1024

export type Ignore = Extract<IgnoreFile, { ok: true }>

/**
 * @param name how people call the file
 * @returns undefined for an empty file
 * @throws RlpError LIMIT_EXCEEDED for patterns that cost too much, and for a file that is no text
 */
export async function ignoreFrom(bytes: Uint8Array, name: string): Promise<Ignore | undefined> {
  const decoded = decodeText(bytes, IGNORE_FILE_BYTES)
  if (!decoded.ok && decoded.problem.code === 'empty') return undefined
  const { readIgnoreFile } = await import('../../agent/ignore-file.ts')
  const file = decoded.ok
    ? readIgnoreFile(decoded.text)
    : { ok: false as const, line: 1, reason: decoded.problem.message }
  if (file.ok) return file
  throw new RlpError('LIMIT_EXCEEDED', `Cannot use "${name}": line ${file.line}: ${file.reason}`, {
    hint: 'Write simpler patterns, one per line, in gitignore syntax',
  })
}

function isAgent(folder: string): boolean {
  try {
    return lstatSync(join(folder, MANIFEST_FILE), { throwIfNoEntry: false }) !== undefined
  } catch {
    // The walk opens this folder next and reports it by name if it cannot be read.
    return false
  }
}

/** Node reads U+FFFD in place of bytes that are not UTF-8, and finds nothing by such a name. */
export function isTextName(name: string): boolean {
  return !name.includes('\ufffd')
}

function refuseName(label: string): never {
  throw new RlpError('USAGE', `Cannot read "${label}": its name is not UTF-8, or has U+FFFD`, {
    hint: 'Rename it, or leave it out with .bundleignore',
  })
}
