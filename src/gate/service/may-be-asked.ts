// A question that came over HTTP, and what the gate was started with → the question as it is judged, or why it may not be asked.
import { isAbsolute, join, relative } from 'node:path'
import { entryOrNothing } from '../../io/read/entry.ts'
import { placeText, readOciReference } from '../../oci/reference.ts'
import { isOciReference } from '../../oci/scheme.ts'
import { quoted } from '../../text/printable.ts'
import type { GateQuestion } from '../question.ts'

export interface ServedPlaces {
  /** Absolute folders, without a link in them. */
  readonly folders: readonly string[]
  /** `oci://host` with the first parts of a repository. */
  readonly references: readonly string[]
  /** By the names that questions use: absolute paths. */
  readonly locks: ReadonlyMap<string, string>
  readonly attestations: ReadonlyMap<string, string>
}

/** @returns why not, as a string: a clause */
export function mayBeAsked(question: GateQuestion, served: ServedPlaces): GateQuestion | string {
  const { bundle, lock, attestations } = question
  const problem = typeof bundle === 'string' ? placeProblem(bundle, served) : undefined
  if (problem !== undefined) return problem
  const named = {
    lock: lock === undefined ? undefined : served.locks.get(lock),
    attestations: attestations === undefined ? undefined : served.attestations.get(attestations),
  }
  if (lock !== undefined && named.lock === undefined) return `there is no lock ${quoted(lock)} here`
  if (attestations !== undefined && named.attestations === undefined)
    return `there are no attestations ${quoted(attestations)} here`
  return { ...question, ...named }
}

function placeProblem(bundle: string, { folders, references }: ServedPlaces): string | undefined {
  if (!isOciReference(bundle)) return pathProblem(bundle, folders)
  const read = readOciReference(bundle)
  if ('problem' in read) return `${quoted(bundle)} is no reference: ${read.problem}`
  const { place } = read.value
  // What is in a layout folder is below it, so the folder itself may be served.
  if (place.in === 'layout') return pathProblem(place.folder, folders, true)
  const text = placeText(place)
  return references.some(one => text === one || text.startsWith(`${one}/`)) ? undefined : notServed(bundle)
}

/** Each segment is looked at: a link below a folder that is served leads to what is not. */
function pathProblem(path: string, folders: readonly string[], isLayout = false): string | undefined {
  const segments = path.split('/').slice(1)
  if (!isAbsolute(path) || segments.some(one => one === '' || one === '.' || one === '..'))
    return `${quoted(path)} is no absolute path without "", "." and ".." in it`
  const folder = folders.find(
    one => (isLayout && path === one) || path.startsWith(one === '/' ? one : `${one}/`),
  )
  if (folder === undefined) return notServed(path)
  let at = folder
  for (const segment of relative(folder, path).split('/')) {
    at = join(at, segment)
    if (entryOrNothing(at)?.isSymbolicLink() === true) return `${quoted(at)} is a link`
  }
  return undefined
}

function notServed(what: string): string {
  return `${quoted(what)} is not below what --serve names`
}
