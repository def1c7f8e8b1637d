// The files of two agents → which were added, removed or changed, and of which that cannot be told. Part of diff.ts.
import { artifactsOf, isDigest } from '../format/agent/manifest.ts'
import { type Agent, PENDING_DIGEST, SIGNATURE_FOLDER } from '../model/agent.ts'
import { byPath, type FileEntry } from '../model/files.ts'

export interface FileDifference {
  readonly path: string
  /** `unknown`: whether it changed cannot be told, because the digest of one of the two is not known. */
  readonly change: 'added' | 'removed' | 'changed' | 'unknown'
  readonly before: FileFacts | null
  readonly after: FileFacts | null
}

export interface FileFacts {
  readonly size: number
  /** Null if the content was not read and no manifest states it. */
  readonly blake3: string | null
}

export function changedFiles(before: Agent, after: Agent): FileDifference[] {
  const isPart = ({ path }: FileEntry) => !path.startsWith(`${SIGNATURE_FOLDER}/`)
  const list = [...before.files.list, ...after.files.list.filter(({ path }) => !before.files.get(path))]
  const [oldFacts, newFacts] = [factsIn(before), factsIn(after)]
  return list
    .filter(isPart)
    .sort(byPath)
    .flatMap(({ path }): FileDifference[] => {
      const [old, now] = [oldFacts(path), newFacts(path)]
      const change = changeOf(old, now)
      return change === undefined ? [] : [{ path, change, before: old, after: now }]
    })
}

function changeOf(old: FileFacts | null, now: FileFacts | null): FileDifference['change'] | undefined {
  if (old === null) return 'added'
  if (now === null) return 'removed'
  if (old.size !== now.size) return 'changed'
  if (old.blake3 === null || now.blake3 === null) return 'unknown'
  return old.blake3 === now.blake3 ? undefined : 'changed'
}

/** Of a file that was not read, what its manifest states. */
function factsIn({ files, manifest }: Agent): (path: string) => FileFacts | null {
  const stated = new Map(manifest && artifactsOf(manifest).map(({ path, blake3 }) => [path, blake3]))
  return path => {
    const entry = files.get(path)
    if (entry === undefined) return null
    return { size: entry.size, blake3: entry.digest ?? statedDigest(stated.get(path)) ?? null }
  }
}

/** Undefined for a digest that is not computed yet, which names no content. */
export function statedDigest(blake3: string | undefined): string | undefined {
  return isDigest(blake3) && blake3 !== PENDING_DIGEST ? blake3.toLowerCase() : undefined
}
