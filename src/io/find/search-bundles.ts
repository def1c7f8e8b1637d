// A folder → the bundles in it and everywhere below it, one by one. What is no bundle is counted, and a place that may hide one is a bundle
// that could not be read.
import { basename } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { FOLDER_LIMITS } from '../../model/limits.ts'
import type { ReasonCode } from '../../model/reason-codes.ts'
import type { PassedOver, Reason } from '../../model/report.ts'
import { FolderListing, type Listed } from '../read/folder-listing.ts'
import { isTextName } from '../read/text-name.ts'
import { breathe } from '../wait/breathe.ts'
import { throwIfCancelled } from '../wait/cancelled.ts'
import { isBundleName, isStatements, isUnpacked } from './bundle-name.ts'
import { linkProblem } from './link-problem.ts'
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
