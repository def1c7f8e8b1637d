// Bytes that are not judged yet → a file that no other process reads, which is then renamed, or removed.
import { closeSync, fchmodSync, fstatSync, linkSync, openSync, renameSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { io, ioNow } from '../io/fail.ts'
import { isSameContent } from '../io/read/compare.ts'
import { entryAt } from '../io/read/entry.ts'
import { discard, removeLeftovers, temporaryName } from '../io/write/write-atomic.ts'
import { WriteMeanwhile } from '../io/write/write-meanwhile.ts'
import { RlpError } from '../model/error.ts'

const NAME = 'pull'
/** Of a bundle that was judged: it is no secret. */
const MODE = 0o644

export class Stage {
  readonly path: string
  readonly #folder: string
  readonly #label: string
  readonly #handle: FileHandle

  private constructor(folder: string, path: string, label: string, handle: FileHandle) {
    this.#folder = folder
    this.path = path
    this.#label = label
    this.#handle = handle
  }

  /** @param folder absolute; it is there */
  static async in(folder: string, label: string): Promise<Stage> {
    await removeLeftovers(folder, NAME)
    const path = join(folder, temporaryName(NAME))
    // Fails if anything is there, a link too.
    return new Stage(folder, path, label, await io(`write to "${label}"`, () => open(path, 'wx', 0o600)))
  }

  /**
   * The same chunks, written down on their way. At the end the system has them: nothing waits for the disk, because what a power cut leaves
   * does not verify.
   */
  async *keep(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const writer = new WriteMeanwhile(this.#handle, `write to "${this.#label}"`)
    try {
      for await (const chunk of chunks) {
        // A folder is read into buffers that are used again.
        await writer.add(Uint8Array.from(chunk))
        yield chunk
      }
      await writer.finish()
    } finally {
      await writer.settled()
    }
  }

  /**
   * Gives the file its name. A file with the same content stays.
   * @returns whether anything changed
   * @throws RlpError EXISTS
   */
  async place(name: string, force: boolean): Promise<boolean> {
    const path = join(this.#folder, name)
    const label = `${this.#label}/${name}`
    const entry = entryAt(path)
    if (entry?.isFile() && (await isSameContent(path, this.path))) return false
    const doing = `write "${label}"`
    // Another file may be here under this name now: a signature that was added makes a new one.
    const fd = ioNow(doing, () => openSync(this.path, 'r'))
    try {
      if ((fstatSync(fd).mode & 0o777) !== MODE) ioNow(doing, () => fchmodSync(fd, MODE))
    } finally {
      closeSync(fd)
    }
    if (force && entry?.isDirectory() !== true) ioNow(doing, () => renameSync(this.path, path))
    else ioNow(doing, () => linkOrRefuse(this.path, path, label))
    return true
  }

  async close(): Promise<void> {
    await this.#handle.close()
    await discard(this.path)
  }
}

/** A link fails where a rename would replace. */
function linkOrRefuse(from: string, to: string, label: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new RlpError('EXISTS', `Cannot write "${label}": something else is there`, {
        hint: 'Choose another folder with `outDir`, or move it away; `force` replaces a file',
      })
    // On file systems without links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    renameSync(from, to)
  }
}
