// Sources and a bundle → the first place where packing the sources would not give that bundle.
import { archiveOrder } from './format/archive.ts'
import { lineColumn } from './format/text.ts'
import { SIGNATURE_FOLDER } from './model/agent.ts'
import type { Candidate } from './model/bundle.ts'
import type { FileEntry, Files } from './model/files.ts'

export interface Difference {
  /** Undefined when it is the archive's form that differs. */
  readonly path?: string
  readonly what: 'form' | 'only-in-bundle' | 'only-in-sources' | 'content'
  /** One sentence. */
  readonly detail: string
}

/**
 * Signatures are left out: they are added after packing.
 *
 * @param sources read with `digest: 'all'`
 * @returns the first difference in the order of the archive, or undefined when the bundle is what the sources give
 */
export function firstDifference(sources: Files, bundle: Candidate): Difference | undefined {
  if (bundle.refusal !== undefined)
    return { what: 'form', detail: `The bundle cannot be compared: ${bundle.refusal.message}` }
  const isSignature = (path: string) => path.startsWith(`${SIGNATURE_FOLDER}/`)
  const paths = new Set(
    [...sources.list, ...bundle.files.list].map(({ path }) => path).filter(path => !isSignature(path)),
  )
  for (const path of [...paths].sort(archiveOrder)) {
    const mine = sources.get(path)
    const theirs = bundle.files.get(path)
    if (mine === undefined)
      return { path, what: 'only-in-bundle', detail: `${path} is in the bundle and not in the sources` }
    if (theirs === undefined)
      return { path, what: 'only-in-sources', detail: `${path} is in the sources and not in the bundle` }
    if (mine.digest !== theirs.digest)
      return { path, what: 'content', detail: `${path} differs: ${where(mine, theirs)}` }
  }
  return undefined
}

function where(mine: FileEntry, theirs: FileEntry): string {
  const sizes =
    mine.size === theirs.size
      ? `both have ${mine.size} bytes`
      : `${mine.size} bytes here, ${theirs.size} in the bundle`
  if (mine.bytes === undefined || theirs.bytes === undefined) return sizes
  const length = Math.min(mine.size, theirs.size)
  let at = 0
  while (at < length && mine.bytes[at] === theirs.bytes[at]) at++
  // Lines mean something only in text; a NUL byte before the place says that this is none.
  const before = mine.bytes.subarray(0, at)
  if (before.includes(0)) return `${sizes}, first at byte ${at}`
  const text = new TextDecoder().decode(before)
  return `${sizes}, first at line ${lineColumn(text, text.length).line}`
}
