// A bundle that is fetched → its archive in a folder of its own in the root, while it streams through verification. After the verdict it
// becomes the installed file, or it is gone.
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { PlainDigest } from '../io/bundle/bundle-bytes.ts'
import { io } from '../io/fail.ts'
import { type DraftFolder, makeDraftElsewhere, makeDraftFolder } from '../io/root/install-root.ts'
import type { Root } from '../io/root/root-places.ts'
import { NewFile } from '../io/write/new-files.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import type { Incoming, JudgedArchive } from './incoming.ts'
import { writeMerged } from './write-merged.ts'

export class Draft implements Incoming {
  readonly #folder: DraftFolder
  readonly #path: string
  readonly #label: string
  readonly #file: NewFile
  readonly #digest = new PlainDigest()
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
