// Holds a bundle's archive between its verdict and its place. No bundle is too large for the memory: a file or a folder is read again, and
// a download streams into a draft in the root. Either is digested once more in its place, before it counts.

import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { NotCanonical } from '../bundle/reader.ts'
import { archiveBytes, archiveOf, changed } from '../bundle/writer.ts'
import { StreamBlake3, stopWhenAborted } from '../io/bundle/bundle-bytes.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import { io } from '../io/fail.ts'
import type { Target } from '../io/find/find-agents.ts'
import { openFile, readChunks, withFile } from '../io/read/read-file.ts'
import { type DraftFolder, makeDraftElsewhere, makeDraftFolder } from '../io/root/install-root.ts'
import type { Root } from '../io/root/root-places.ts'
import { breathe } from '../io/wait/breathe.ts'
import { openerOf } from '../io/wrappers/index.ts'
import { NewFile } from '../io/write/new-files.ts'
import { refuseIfAborted } from '../io/write/write-atomic.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import type { WrapperName } from '../model/bundle-form.ts'
import type { FileEntry } from '../model/files.ts'
import { writeSignature } from '../sign/write-signature.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { soundBundle } from '../verify/sound.ts'

/** The archive of an accepted bundle. */
export interface JudgedArchive {
  /** What it is called, for messages. */
  readonly label: string
  /** BLAKE3 of its bytes. */
  readonly digest: string
  readonly files: readonly Pick<FileEntry, 'path' | 'size'>[]
  /** Makes it a new file. Whether that has the digest is asked of the file afterwards. @throws RlpError CHANGED_WHILE_READING, NO_SPACE */
  putAt(path: string, label: string): Promise<void>
}

/** A bundle on its way. */
export interface Incoming {
  /** Gets each piece of its archive while it is verified. */
  readonly plain: (piece: Uint8Array) => void
  /** Whether writing a piece failed, which the reader takes for a failure to read. */
  refuseIfFailed(): void
  archive(examined: Examination): Promise<JudgedArchive>
  /** @param isUsed whether it was installed */
  close(isUsed: boolean): Promise<void>
}

/** Nothing is written before the verdict. */
export function onDisk({ path, label }: Target, signal: AbortSignal): Incoming {
  const digest = new StreamBlake3()
  return {
    plain: digest.add,
    refuseIfFailed() {},
    async archive({ candidate: { form, files } }) {
      const write = async (take: (piece: Uint8Array) => void) => {
        if (form === 'directory') {
          for await (const chunk of archiveOf(files, label)) {
            refuseIfAborted(signal)
            take(chunk)
            await breathe()
          }
        } else await plainPieces(path, form === 'archive' ? undefined : form, label, take, signal)
      }
      if (form === 'directory') await write(digest.add)
      const most = archiveBytes(files.list)
      return {
        digest: digest.hex(),
        label,
        files: files.list,
        putAt: (place, name) => newFile(place, name, write, most, label),
      }
    },
    async close() {},
  }
}

async function newFile(
  path: string,
  name: string,
  write: (take: (piece: Uint8Array) => void) => Promise<void>,
  most: number,
  label: string,
): Promise<void> {
  const file = new NewFile(path, 0o644, `write "${name}"`)
  let bytes = 0
  try {
    await write(piece => {
      bytes += piece.length
      if (bytes > most) throw changed(label)
      file.add(piece)
    })
  } finally {
    file.close()
  }
}

async function plainPieces(
  path: string,
  wrapper: WrapperName | undefined,
  label: string,
  take: (piece: Uint8Array) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    await withFile(openFile(path, { follow: true, label }), async file => {
      const chunks = stopWhenAborted(readChunks(file), label, signal)
      if (wrapper !== undefined) await (await openerOf(wrapper)).unwrap(chunks, take)
      else for await (const chunk of chunks) take(chunk)
    })
  } catch (error) {
    // It was as it has to be when it was verified.
    throw error instanceof NotCanonical ? changed(label) : error
  }
}

export class Draft implements Incoming {
  readonly #folder: DraftFolder
  readonly #path: string
  readonly #label: string
  readonly #file: NewFile
  readonly #digest = new StreamBlake3()
  #failure: { readonly error: unknown } | undefined

  private constructor(folder: DraftFolder, label: string, root: Root) {
    this.#folder = folder
    this.#label = label
    this.#path = join(folder.path, 'bundle')
    // Its folder keeps others away, not its mode: `node --permission` lets no mode be changed when it becomes the installed file.
    this.#file = new NewFile(this.#path, 0o644, `write to "${root.label}"`)
  }

  /** @param how `label`: of the bundle; `dryRun`: it will not be installed */
  static async in(
    root: Root,
    { label, dryRun }: { readonly label: string; readonly dryRun: boolean },
  ): Promise<Draft> {
    const folder = dryRun ? await makeDraftElsewhere() : await makeDraftFolder(root)
    try {
      return new Draft(folder, label, root)
    } catch (error) {
      await folder.remove(false)
      throw error
    }
  }

  readonly plain = (piece: Uint8Array): void => {
    try {
      this.#file.add(piece)
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
    this.#digest.add(piece)
  }

  refuseIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async archive(examined: Examination): Promise<JudgedArchive> {
    this.#file.close()
    const merged = await writeMerged(this.#path, examined, this.#label)
    return {
      digest: merged ?? this.#digest.hex(),
      label: this.#label,
      files: examined.candidate.files.list,
      putAt: (path, label) => io(`write "${label}"`, () => rename(this.#path, path)),
    }
  }

  async close(isUsed: boolean): Promise<void> {
    this.#file.close()
    await this.#folder.remove(isUsed)
  }
}

/**
 * What is written is judged again, before it takes its place.
 * @returns BLAKE3 of the new archive; undefined if nothing was added, and the file stays as it is
 */
export async function writeMerged(
  path: string,
  { candidate, verification }: Examination,
  label: string,
): Promise<string | undefined> {
  const { carried, signatures, identity } = verification.report
  const envelope = candidate.files.get(SIGNATURE_FILE)?.bytes
  if (envelope === undefined || !carried?.added.some(({ result }) => result === 'merged')) return undefined
  const digest = new StreamBlake3()
  await writeSignature(path, envelope, {
    label,
    async check(at) {
      const candidate = await readBundle(at, { keep: 'parsed', label, plain: digest.add })
      const { report } = await soundBundle(candidate, 'write')
      const [now, judged] = [report, { signatures, identity }].map(one =>
        [one.identity, ...one.signatures.map(({ keyid }) => keyid)].join(),
      )
      if (now !== judged) throw changed(label)
    },
  })
  return digest.hex()
}
