// Finds the files that were added, removed or changed between two agents. Part of diff.ts.
import { type Agent, SIGNATURE_FOLDER } from '../model/agent.ts'
import { byPath, type FileEntry } from '../model/files.ts'

export interface FileDifference {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly before: FileFacts | null
  readonly after: FileFacts | null
}

export interface FileFacts {
  readonly size: number
  readonly blake3: string
}

/** @param before read with every digest, and so is `after` */
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
  return old.blake3 === now.blake3 ? undefined : 'changed'
}

function factsIn({ files }: Agent): (path: string) => FileFacts | null {
  return path => {
    const entry = files.get(path)
    if (entry === undefined) return null
    const { size, digest } = entry
    if (digest === undefined) throw new TypeError('an agent that is compared was read with every digest')
    return { size, blake3: digest }
  }
}
