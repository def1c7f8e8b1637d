// Finds the bundles in a folder and below it, one by one. Other files are counted. A place that may hide a bundle, such as a link, counts
// as a bundle that could not be read.

import { type Dir, type Dirent, opendirSync, realpathSync, statSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { FOLDER_LIMITS } from '../../model/limits.ts'
import type { ReasonCode } from '../../model/reason-codes.ts'
import type { PassedOver, Reason } from '../../model/report.ts'
import { isSystemError } from '../../model/system-error.ts'
import { ioNow } from '../fail.ts'
import { entryAt } from '../read/entry.ts'
import { isTextName } from '../read/walk-tree.ts'
import { breathe, throwIfCancelled } from '../wait/breathe.ts'
import { isBundleName, isStatements, isUnpacked } from './bundle-name.ts'
import { child, type Target } from './search-folders.ts'

/** A bundle to read, or a place that may hold one and could not be looked at. */
export interface FoundBundle extends Target {
  readonly problem?: Reason
  /** It was met in a folder, as no link: a link that takes its place later must not be followed. */
  readonly isBelow?: true
}

export interface BundleSearch {
  /** Counts up while the search goes on. */
  readonly passed: PassedOver
  /** `elsewhere`: judged by another name, and left out here. `own`: counted. */
  readonly except?: (path: string) => 'elsewhere' | 'own' | undefined
  /** Counts up as well: all folders of a call share one limit. */
  readonly met: { entries: number }
  readonly signal?: AbortSignal | undefined
}

/**
 * Follows no link, and looks at nothing below a folder that is a bundle: its digests cover every file in it. One folder of each level is
 * open.
 * @throws RlpError CANCELLED
 */
export async function* bundlesBelow(root: Target, search: BundleSearch): AsyncGenerator<FoundBundle> {
  const { passed, except, met, signal } = search
  const open: FolderListing[] = []
  try {
    let at: Target | undefined = root
    for (;;) {
      const problem: FoundBundle | undefined = at && enter(at, open)
      if (problem !== undefined) yield problem
      at = undefined
      const listing = open.at(-1)
      if (listing === undefined) return
      await breathe()
      throwIfCancelled(signal, `reading "${root.label}"`)
      const next = nextOf(listing)
      if (next === undefined) open.pop()?.close()
      else if ('path' in next) yield next
      else if (++met.entries > FOLDER_LIMITS.entries) {
        const state = `more than ${FOLDER_LIMITS.entries} files and folders are there, and the rest was not looked at`
        yield unread(root, 'too_many_entries', state, ONE_BY_ONE)
        return
      } else {
        const below = child(listing.folder, next.name)
        const why = except?.(below.path)
        if (why === 'own') passed.own++
        if (why !== undefined) continue
        const found = foundAt(below, next.kind, root)
        if (found === 'open') at = below
        else if (typeof found !== 'string') yield found
        else if (found !== 'nothing') passed[found]++
      }
    }
  } finally {
    for (const listing of open) listing.close()
  }
}

/** @returns why its entries cannot be looked at */
function enter(folder: Target, open: FolderListing[]): FoundBundle | undefined {
  if (open.length > FOLDER_LIMITS.depth)
    return unread(
      folder,
      'unreadable',
      `folders are nested more than ${FOLDER_LIMITS.depth} deep`,
      ONE_BY_ONE,
    )
  try {
    open.push(new FolderListing(folder))
    return undefined
  } catch (error) {
    return unreadable(folder, error)
  }
}

function nextOf(listing: FolderListing): Listed | FoundBundle | undefined {
  try {
    return listing.next()
  } catch (error) {
    return unreadable(listing.folder, error)
  }
}

/** What it is counted as, if it is no bundle. */
function foundAt(
  at: Target,
  kind: Listed['kind'],
  root: Target,
): FoundBundle | 'open' | 'nothing' | keyof PassedOver {
  const name = basename(at.path)
  const isNamed = isBundleName(name)
  try {
    if (!isTextName(name) && (kind === 'folder' || kind === 'link' || isNamed))
      return unread(at, 'unreadable', 'its name is not UTF-8, or has U+FFFD')
    if (kind === 'link') {
      const problem = linkProblem(at.path, root.path)
      return problem === undefined ? 'links' : unread(at, 'link_not_followed', problem, NAME_TARGET)
    }
    if (kind === 'folder') return isUnpacked(at.path) ? { ...at, isBelow: true } : 'open'
    if (kind === 'special') return isNamed ? unread(at, 'unreadable', 'it is not a regular file') : 'special'
    if (isNamed) return { ...at, isBelow: true }
    // What others state about a bundle is read with it.
    return isStatements(name) ? 'nothing' : 'files'
  } catch (error) {
    return unreadable(at, error)
  }
}

const ONE_BY_ONE = 'Verify its folders one by one'
const NAME_TARGET = 'Verify what it leads to by its own path, and remove the link'

function unread(
  at: Target,
  code: ReasonCode,
  state: string,
  hint = 'Rename, move or remove it',
): FoundBundle {
  return { ...at, problem: { code, message: `Cannot read "${at.label}": ${state}`, hint } }
}

function unreadable(at: Target, error: unknown): FoundBundle {
  if (!(error instanceof RlpError)) throw error
  const { message, hint } = error
  return { ...at, problem: { code: 'unreadable', message, ...(hint !== undefined && { hint }) } }
}

/** @param root the folder that is searched, which may be a link itself */
function linkProblem(path: string, root: string): string | undefined {
  const isNamed = isBundleName(path)
  try {
    const target = realpathSync.native(path)
    const inside = realpathSync.native(root)
    const isBelow = target.startsWith(`${inside}${sep}`)
    // Everything below is judged in its own place.
    if (statSync(target).isDirectory())
      return isBelow || target === inside ? undefined : 'it is a link to a folder elsewhere'
    const leadsToBundle = isBundleName(basename(target))
    if (!isBelow) return isNamed || leadsToBundle ? 'it is a link to a file elsewhere' : undefined
    return isNamed && !leadsToBundle
      ? 'it is a link to a file that does not have the name of a bundle'
      : undefined
  } catch (error) {
    if (!isSystemError(error)) throw error
    const isNowhere = ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code)
    if (isNowhere) return isNamed ? 'it is a link that leads nowhere' : undefined
    return 'it is a link, and where it leads cannot be told'
  }
}

interface Listed {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'special'
}

class FolderListing {
  readonly folder: Target
  readonly #dir: Dir
  #names: Listed[] = []
  #isOver = false

  /** @throws RlpError */
  constructor(folder: Target) {
    this.folder = folder
    this.#dir = ioNow(`read the folder "${folder.label}"`, () =>
      opendirSync(folder.path, { bufferSize: 256 }),
    )
  }

  /** Undefined after the last one. @throws RlpError; then the names that were read before follow */
  next(): Listed | undefined {
    if (this.#names.length === 0 && !this.#isOver) this.#fill()
    return this.#names.pop()
  }

  close(): void {
    this.#dir.closeSync()
  }

  #fill(): void {
    this.#isOver = true
    for (let left: number = FOLDER_LIMITS.listed; left > 0; left--) {
      const dirent = ioNow(`read the folder "${this.folder.label}"`, () => this.#dir.readSync())
      if (dirent === null) break
      const { name } = dirent
      this.#names.push({ name, kind: kindOf(dirent, join(this.folder.path, name)) })
      if (left === 1) this.#isOver = false
    }
    // As labels are sorted, where a folder's name goes on with a slash; the last one is taken first.
    this.#names.sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1))
  }
}

function keyOf({ name, kind }: Listed): string {
  return kind === 'folder' ? `${name}/` : name
}

/** Some file systems do not say in a folder what its entries are. What is gone by now is special. */
function kindOf(dirent: Dirent, path: string): Listed['kind'] {
  const known = dirent.isFile() || dirent.isDirectory() || dirent.isSymbolicLink()
  const about = known ? dirent : entryAt(path)
  if (about?.isFile()) return 'file'
  if (about?.isDirectory()) return 'folder'
  return about?.isSymbolicLink() ? 'link' : 'special'
}
