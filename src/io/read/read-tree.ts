// Reads a folder into files, and the folder of an author into an agent. Each file is read once; large files that are not needed whole are
// read again when they are.

import { readInTurns } from '../../agent/read-in-turns.ts'
import { DEFAULT_LIMITS, type Limits } from '../../bundle/archive.ts'
import { hasher, NATIVE_FROM_BYTES, preferNative } from '../../bundle/blake3.ts'
import type { Agent } from '../../model/agent.ts'
import { RlpError } from '../../model/error.ts'
import { byPath, type FileEntry, type Files } from '../../model/files.ts'
import { ownMembers } from '../../model/own.ts'
import type { OnProgress } from '../../model/progress.ts'
import { InspectBudget } from '../bundle/inspect-budget.ts'
import type { Target } from '../find/find-agents.ts'
import type { Setting } from '../setting.ts'
import { throwIfCancelled, turnsOf } from '../wait/breathe.ts'
import {
  type FolderIdentity,
  type FolderReach,
  isSameFolder,
  OpenFolders,
  refuseChanged,
} from './open-folders.ts'
import { closingChunks, type OpenFile, readAt, readChunks, readWhole, withFile } from './read-file.ts'
import { refuseLarge, walkTree } from './walk-tree.ts'

export interface ReadTreeOptions {
  /** `source`: without dot files and the files that `.bundleignore` names. `as-it-stands`: an unpacked bundle, with every file. */
  readonly as: 'source' | 'as-it-stands'
  /** `all` reads and digests every file; `held` leaves large files for {@link Files.open}. */
  readonly digest: 'all' | 'held'
  /** `all` keeps every file's content; without it, only small files and those that are looked into. */
  readonly hold?: 'parsed' | 'all' | undefined
  readonly limits?: Limits | undefined
  readonly signal?: AbortSignal | undefined
  /** Told the bytes of the files that were read, or left to be read later. */
  readonly onProgress?: OnProgress | undefined
  /** How folders are reached; detected if absent. */
  readonly reach?: FolderReach | undefined
}

/** Small files are read now even if they could wait: opening them twice costs more than holding them. */
const SMALL_BYTES = 64 * 1024
const SMALL_TOTAL_BYTES = 64 * 1024 * 1024
const HEAD_BYTES = 8

/**
 * @param root a folder; a link to one is followed, because the caller named it
 * @param label its name in messages
 * @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION, LIMIT_EXCEEDED, CHANGED_WHILE_READING, CANCELLED
 */
export async function readTree(root: string, label: string, options: ReadTreeOptions): Promise<Files> {
  const folders = new OpenFolders(root, label, options.reach)
  try {
    return await readFolders(folders, root, label, options)
  } finally {
    folders.close()
  }
}

async function readFolders(
  folders: OpenFolders,
  root: string,
  label: string,
  given: ReadTreeOptions,
): Promise<Files> {
  const options = ownMembers(given)
  const { limits = DEFAULT_LIMITS, signal } = options
  const walked = await walkTree(folders, label, { as: options.as, limits, signal })
  const total = walked.files.reduce((sum, file) => sum + file.size, 0)
  if (options.as === 'as-it-stands') refuseLarge(walked.files, total, label, limits)
  if (total >= NATIVE_FROM_BYTES) await preferNative()
  const reader = new TreeReader(folders, label, options, total)
  const list: FileEntry[] = []
  for (const file of walked.files.sort(byPath)) {
    throwIfCancelled(signal, `reading "${label}"`)
    list.push(await reader.read(file))
  }
  const index = new Map(list.map(entry => [entry.path, entry]))
  return {
    list,
    oddities: walked.oddities.sort(byPath),
    get: path => index.get(path),
    open: path => openLater(root, label, folders.identity, index.get(path), options.reach),
  }
}

class TreeReader {
  readonly #folders: OpenFolders
  readonly #label: string
  readonly #options: ReadTreeOptions
  readonly #budget = new InspectBudget()
  readonly #total: number
  #small = SMALL_TOTAL_BYTES
  #done = 0

  constructor(folders: OpenFolders, label: string, options: ReadTreeOptions, total: number) {
    this.#folders = folders
    this.#label = label
    this.#options = options
    this.#total = total
  }

  async read({ path, size }: { readonly path: string; readonly size: number }): Promise<FileEntry> {
    return this.#opened(path, async (file, name) => {
      const head = await readHead(file)
      const isInspected = this.#budget.takes(path, file.size, head)
      const isKept = isInspected || this.#options.hold === 'all' || this.#isSmall(file.size)
      if (!isKept && this.#options.digest === 'held') return { path, size: this.#tell(size), head }
      const hash = hasher()
      if (isKept) {
        const content = await readWhole(file)
        this.#tell(content.length)
        const digest = hash.update(content).hex()
        return { path, size: content.length, head, digest, content, bytes: isInspected ? content : undefined }
      }
      for await (const chunk of readChunks(file)) {
        throwIfCancelled(this.#options.signal, `reading "${name}"`)
        hash.update(chunk)
        this.#tell(chunk.length)
      }
      return { path, size: file.size, head, digest: hash.hex() }
    })
  }

  #tell(bytes: number): number {
    this.#done += bytes
    this.#options.onProgress?.({ what: this.#label, done: this.#done, total: this.#total, unit: 'bytes' })
    return bytes
  }

  async #opened<T>(path: string, use: (file: OpenFile, name: string) => Promise<T>): Promise<T> {
    const name = `${this.#label}/${path}`
    const opening = this.#folders.open(path, name).catch(error => {
      // It existed when the folder was listed.
      if (error instanceof RlpError && error.code === 'NOT_FOUND') refuseChanged(name, 'it is gone')
      throw error
    })
    return withFile(opening, file => use(file, name))
  }

  #isSmall(size: number): boolean {
    if (size > SMALL_BYTES || size > this.#small) return false
    this.#small -= size
    return true
  }
}

async function readHead(file: OpenFile): Promise<Uint8Array> {
  const head = new Uint8Array(Math.min(HEAD_BYTES, file.size))
  await readAt(file, head, 0)
  return head
}

/** The folder was closed meanwhile: its name must still lead to the same folder. */
async function* openLater(
  root: string,
  label: string,
  identity: FolderIdentity,
  entry: FileEntry | undefined,
  reach: FolderReach | undefined,
): AsyncGenerator<Uint8Array> {
  if (entry === undefined) throw new TypeError('no such entry in this tree')
  if (entry.content !== undefined) {
    yield entry.content
    return
  }
  const name = `${label}/${entry.path}`
  const folders = new OpenFolders(root, label, reach)
  let file: OpenFile
  try {
    if (!isSameFolder(folders.identity, identity)) refuseChanged(label, 'another folder took its place')
    file = await folders.open(entry.path, name)
  } finally {
    folders.close()
  }
  const { handle, size } = file
  if (size === entry.size) yield* closingChunks(file)
  else {
    handle.close()
    refuseChanged(name, 'its size changed while it was read')
  }
}

/** @param digest `held` leaves large files unread */
export async function readSourceFolder(
  { path, label }: Pick<Target, 'path' | 'label'>,
  digest: 'all' | 'held',
  { signal, onProgress }: Partial<Pick<Setting, 'signal' | 'onProgress'>>,
): Promise<Agent> {
  const files = await readTree(path, label, { as: 'source', digest, signal, onProgress })
  return readInTurns(files, label, 'source', turnsOf(`reading "${label}"`, signal))
}
