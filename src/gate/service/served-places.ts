// Decides which bundles, locks and statements a question over HTTP may name: those that --serve, --serve-lock and --serve-attestations
// allow. Links are followed once, when the gate starts. A link below a served folder is refused, because it could lead anywhere.

import { isAbsolute, join, relative } from 'node:path'
import { namedPath } from '../../io/home.ts'
import { entryOrNothing } from '../../io/read/entry.ts'
import { realPathNow } from '../../io/read/real-path.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { ociPrefixText, placeText, readOciPrefix, readOciReference } from '../../oci/reference.ts'
import { isOciReference } from '../../oci/scheme.ts'
import { quoted } from '../../text/printable.ts'
import type { GateQuestion } from '../question-answer.ts'

/** Links are followed once, here: below a prefix there may be none. */
/** @throws RlpError NOT_FOUND; UsageError for a reference to one bundle */
export function servedPrefixes(
  prefixes: readonly string[],
  cwd: string,
): Pick<ServedPlaces, 'folders' | 'references'> {
  const folders: string[] = []
  const references: string[] = []
  for (const prefix of prefixes) {
    if (isOciReference(prefix) && !prefix.startsWith('oci-layout:')) references.push(referencePrefix(prefix))
    else {
      const path = namedPath(prefix.replace(/^oci-layout:/, ''), cwd)
      const real = realPathNow(path)
      if (real === undefined)
        throw new RlpError('NOT_FOUND', `Cannot serve ${quoted(prefix)}: there is no such folder`, {
          hint: 'Make it, or name another one',
        })
      folders.push(real)
    }
  }
  return { folders, references }
}

/** `oci://host` is no reference, and a fine prefix. */
function referencePrefix(prefix: string): string {
  const read = readOciPrefix(prefix.replace(/\/?$/, '/'))
  if ('value' in read) return ociPrefixText(read.value).slice(0, -1)
  const one = readOciReference(prefix)
  throw new UsageError(
    `Cannot serve ${quoted(prefix)}: ${'problem' in one ? one.problem : 'it has a tag or a digest'}`,
    {
      field: 'serve',
      hint: 'Write oci://HOST or oci://HOST/FIRST/PARTS',
    },
  )
}

/** @throws UsageError */
export function namedFiles(
  field: 'serve-lock' | 'serve-attestations',
  pairs: readonly string[],
  cwd: string,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const pair of pairs) {
    const [, name, file] = /^([a-z0-9][a-z0-9._-]{0,63})=(.+)$/s.exec(pair) ?? []
    if (name === undefined || file === undefined || files.has(name))
      throw new UsageError(
        `Cannot use --${field} ${quoted(pair)}: ${name !== undefined && files.has(name) ? 'the name is there twice' : 'it is not NAME=FILE'}`,
        {
          field,
          hint: 'Write for example production=rlp.lock',
        },
      )
    files.set(name, namedPath(file, cwd))
  }
  return files
}

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
