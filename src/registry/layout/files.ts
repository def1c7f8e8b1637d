// The files of a layout folder. No link inside it is followed: a user who can write there must not reach what is elsewhere.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ioNow } from '../../io/fail.ts'
import { entryAt, targetAt } from '../../io/read/entry.ts'
import { type OpenFile, openFile, readableAt, readWhole, withFile } from '../../io/read/read-file.ts'
import { makeParents } from '../../io/write/make-parents.ts'
import { removeLeftovers, writeAtomic } from '../../io/write/write-atomic.ts'
import { RlpError } from '../../model/error.ts'

const MARK_FILE = 'oci-layout'
export const INDEX_FILE = 'index.json'
/** The file that says what the folder is, as every program writes it. */
export const MARK = '{"imageLayoutVersion":"1.0.0"}'
const MOST_MARK_BYTES = 1024
const BLOBS = ['blobs', 'sha256'] as const

export class LayoutFiles {
  readonly folder: string
  readonly label: string
  /** Folders in which nothing of a killed run is left. There may be many files: they are listed once, and not for each write. */
  readonly #tidied = new Set<string>()

  /** @param folder absolute */
  constructor(folder: string, label: string) {
    this.folder = folder
    this.label = label
  }

  /** Whether the folder is there. @throws RlpError STORE if it is something else than a layout */
  isThere(): boolean {
    const entry = targetAt(this.folder)
    if (entry === undefined) return false
    if (!entry.isDirectory()) throw this.refused('it is a file', 'Name a folder')
    this.#refuseLink(MARK_FILE, INDEX_FILE, 'blobs', 'blobs/sha256')
    if (entryAt(join(this.folder, MARK_FILE)) !== undefined) return true
    const names = ioNow(`read "${this.label}"`, () => readdirSync(this.folder))
    // Another process may have its lock there, and nothing else yet.
    if (names.every(name => name.startsWith('.'))) return false
    throw this.refused(
      `the folder holds other things, and no file ${MARK_FILE}`,
      'Name a folder that rlp agent push has made, or an empty one',
    )
  }

  /** Makes the folder a layout, unless it is one. The mark comes first: a folder without it is not taken for one again. */
  async make(): Promise<void> {
    await makeParents(this.folder)
    if (entryAt(join(this.folder, MARK_FILE)) === undefined)
      await writeAtomic(join(this.folder, MARK_FILE), Buffer.from(MARK), {
        label: `${this.label}/${MARK_FILE}`,
      })
    for (const depth of [1, BLOBS.length]) {
      const path = join(this.folder, ...BLOBS.slice(0, depth))
      if (entryAt(path) === undefined) ioNow(`write to "${this.label}"`, () => mkdirSync(path))
    }
    this.#refuseLink('blobs', 'blobs/sha256')
  }

  /** Whether the mark is one of a version that is known. */
  async checkMark(): Promise<void> {
    const bytes = await this.small(MARK_FILE, MOST_MARK_BYTES)
    if (/"imageLayoutVersion"\s*:\s*"1\.0\.0"/.test(Buffer.from(bytes ?? []).toString('latin1'))) return
    throw this.refused(
      `${MARK_FILE} does not name version 1.0.0`,
      'Get the folder again from where it was made',
    )
  }

  /** A whole small file; undefined if there is none. */
  async small(name: string, most: number): Promise<Uint8Array | undefined> {
    if (entryAt(join(this.folder, name)) === undefined) return undefined
    return withFile(this.open(name), file => {
      if (file.size > most) throw this.refused(`${name} has ${file.size} bytes; at most ${most} are read`)
      return readWhole(file)
    })
  }

  async open(name: string): Promise<OpenFile> {
    const [path, how] = [join(this.folder, name), { follow: false, label: `${this.label}/${name}` }]
    readableAt(path, how)
    return openFile(path, how)
  }

  /** The size of a blob's file; undefined if there is none. */
  sizeOf(digest: string): number | undefined {
    this.#refuseLink(blobName(digest))
    const entry = entryAt(join(this.folder, blobName(digest)))
    return entry?.isFile() ? entry.size : undefined
  }

  async write(
    name: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    this.#refuseLink(name)
    const path = join(this.folder, name)
    const folder = dirname(path)
    if (!this.#tidied.has(folder)) await removeLeftovers(folder, undefined)
    this.#tidied.add(folder)
    await writeAtomic(path, content, { label: `${this.label}/${name}`, signal, isTidied: true })
  }

  /** Removes a file, if it is there. */
  remove(name: string): void {
    this.#refuseLink(name)
    ioNow(`write to "${this.label}"`, () => rmSync(join(this.folder, name), { force: true }))
  }

  refused(seen: string, hint?: string): RlpError {
    return new RlpError('STORE', `Cannot use "${this.label}": ${seen}`, { hint })
  }

  #refuseLink(...names: readonly string[]): void {
    for (const name of names) {
      if (entryAt(join(this.folder, name))?.isSymbolicLink())
        throw this.refused(`${name} is a link`, 'Put the file or folder itself there')
    }
  }
}

/** @param digest `sha256:…` */
export function blobName(digest: string): string {
  return `blobs/sha256/${digest.slice('sha256:'.length)}`
}
