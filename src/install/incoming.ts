// Where a bundle's archive is between its verdict and its place. No bundle is too large for the memory: a file or a folder is read again
// (on-disk.ts), and what is fetched is in a draft (draft.ts). Either is digested once more in its place, before it counts.
import type { FileEntry } from '../model/files.ts'
import type { Examination } from '../verify/judge-candidate.ts'

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
