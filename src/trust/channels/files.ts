// The files of a release, held against what it says of them. Pure.
import { hash } from 'node:crypto'
import { blake3Hex } from '../../bundle/blake3.ts'
import type { ChannelFile, Release, SignedStatement } from '../../model/channel.ts'

/** What a release says of a file. */
export function channelFile(name: string, bytes: Uint8Array): ChannelFile {
  return { name, blake3: blake3Hex(bytes), sha256: hash('sha256', bytes, 'hex'), size: bytes.length }
}

/** Whether a release says this of the bytes. */
export function isChannelFile({ name, blake3, sha256, size }: ChannelFile, bytes: Uint8Array): boolean {
  if (bytes.length !== size) return false
  const found = channelFile(name, bytes)
  return found.sha256 === sha256 && found.blake3 === blake3
}

/** Undefined if these are exactly the files of the release. */
export function fileProblem(
  { statement: { version, files } }: SignedStatement<Release>,
  contents: ReadonlyMap<string, Uint8Array>,
): string | undefined {
  for (const file of files) {
    const bytes = contents.get(file.name)
    if (bytes === undefined) return `${file.name} of release ${version} is missing`
    if (!isChannelFile(file, bytes)) return `${file.name} has other bytes than release ${version} names`
  }
  return contents.size === files.length ? undefined : `there are files that release ${version} does not name`
}
