// Compares a bundle with what a folder packs to, up to the first difference.

import { archiveOrder } from '../bundle/archive.ts'
import type { Target } from '../io/find/find-agents.ts'
import { MANIFEST_FILE, SIGNATURE_FOLDER } from '../model/agent.ts'
import type { Candidate } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import type { FileEntry, Files } from '../model/files.ts'
import { isOciReference } from '../oci/scheme.ts'
import { firstChangedValue } from '../text/changed-value.ts'
import { lineColumn } from '../text/decode.ts'
import { diagnoseText } from '../text/diagnose.ts'
import { reachBy } from '../verb/kinds/registry.ts'
import type { World } from '../verb/world.ts'
import { readCandidate } from '../verify/examine.ts'
import { readSource } from './pack-agent.ts'

export interface PackCheck {
  /** As the caller called it. */
  readonly agent: string
  readonly bundle: string
  /** The first in the order of the archive, signatures aside; undefined if there is none. */
  readonly difference: Difference | undefined
  /** Whether packing would make another bundle. */
  readonly changed: boolean
}

/**
 * @throws RlpError NOT_FOUND for a bundle that cannot be read, and as the reading of the folder does
 */
export async function comparePacked(
  target: Target,
  { path, label }: Pick<Target, 'path' | 'label'>,
  world: World,
): Promise<PackCheck> {
  const { candidate } = await readCandidate(path, reachBy(world), 'parsed')
  if (isOciReference(path) && candidate.refusal?.error !== undefined) throw candidate.refusal.error
  if (candidate.refusal?.why === 'io')
    throw new RlpError('NOT_FOUND', `Cannot compare with "${label}": ${candidate.refusal.message}`)
  const { agent } = await readSource(target, 'all', world)
  const difference = firstDifference(agent.files, candidate)
  return { agent: target.label, bundle: label, difference, changed: difference !== undefined }
}

export interface Difference {
  /** Undefined if the archive's form differs. */
  readonly path?: string
  readonly what: 'form' | 'only-in-bundle' | 'only-in-sources' | 'content'
  /** One sentence. */
  readonly detail: string
}

/**
 * Without signatures, which are added after packing.
 * @param sources read with `digest: 'all'`
 * @returns the first difference in the order of the archive; undefined if there is none
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
    if (mine.digest !== undefined && mine.digest === theirs.digest) continue
    const detail = `${path} differs: ${where(mine, theirs)}`
    // The manifest differs whenever another file does: the other file is the useful answer.
    const cause =
      path === MANIFEST_FILE
        ? firstDifference(without(sources, path), { ...bundle, files: without(bundle.files, path) })
        : undefined
    return { path, what: 'content', detail: cause === undefined ? detail : `${detail}; ${cause.detail}` }
  }
  return undefined
}

function without(files: Files, path: string): Files {
  return { ...files, list: files.list.filter(one => one.path !== path) }
}

function where(mine: FileEntry, theirs: FileEntry): string {
  const sizes =
    mine.size === theirs.size
      ? `both have ${mine.size} bytes`
      : `${mine.size} bytes here, ${theirs.size} in the bundle`
  if (mine.content === undefined || theirs.content === undefined) return sizes
  const length = Math.min(mine.size, theirs.size)
  let at = 0
  while (at < length && mine.content[at] === theirs.content[at]) at++
  // Lines have a meaning only in text; a NUL byte before the place shows that this is not text.
  const before = mine.content.subarray(0, at)
  if (before.includes(0)) return `${sizes}, first at byte ${at}`
  const text = new TextDecoder().decode(before)
  const line = `${sizes}, first at line ${lineColumn(text, text.length).line}`
  const key = firstChangedValue(mine.path, mine.content, theirs.content)
  if (key !== undefined) return `${line}, ${key}`
  const variant = theirs.digest && diagnoseText(mine.content, theirs.digest)
  return variant === undefined ? line : `${line}; here it is ${variant.replace('stated', 'bundle’s')}`
}
