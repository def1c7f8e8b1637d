// What was read of what is attached to a bundle, and up to where: the state of one reading, and its result. Pure.
import type { Attestations, AttestationsProblem } from '../model/attestation.ts'
import type { Added, AddedEnvelope } from '../model/carried.ts'
import { ATTESTATION_LIMITS, byteLimit, KEYLESS_LIMITS } from '../model/limits.ts'
import type { Descriptor } from '../model/oci.ts'
import type { AttachedKind } from './attached-manifest.ts'

export interface BundleToRead {
  /** Of its manifest. */
  readonly digest: string
  readonly layer: Descriptor
}

export interface ReadingAdded {
  readonly found: Readonly<Record<AttachedKind, AddedEnvelope[]>>
  readonly others: { digest: string; why: string }[]
  /** Sigstore bundles that are not read yet: which are is decided by the order of their manifests. */
  readonly keyless: BundleToRead[]
  tooManyBundles: string | undefined
  /** Statements that are not read yet. The smallest are read: strangers cannot push them aside with large ones. */
  readonly statements: BundleToRead[]
  tooManyStatements: string | undefined
  /** Of signatures. */
  bytes: number
  /** Why there may be more. What could be read counts all the same. */
  incomplete: string | undefined
  /** No more is asked for. */
  isGivenUp: boolean
}

export function newReading(): ReadingAdded {
  return {
    found: { signature: [], statement: [], keyless: [] },
    others: [],
    keyless: [],
    statements: [],
    bytes: 0,
    tooManyBundles: undefined,
    tooManyStatements: undefined,
    incomplete: undefined,
    isGivenUp: false,
  }
}

export function giveUp(reading: ReadingAdded, why: string): void {
  reading.incomplete ??= why
  reading.isGivenUp = true
}

/** As many as are read, by what their manifests say of them: the others are not asked for. */
export function firstBundles(reading: ReadingAdded): BundleToRead[] {
  const first: BundleToRead[] = []
  let bytes = 0
  for (const one of inOrder(reading.keyless)) {
    bytes += one.layer.size
    if (bytes > KEYLESS_LIMITS.allBytes) {
      reading.tooManyBundles = `the Sigstore bundles have more than ${byteLimit(KEYLESS_LIMITS.allBytes)}`
      break
    }
    first.push(one)
  }
  return first
}

/** The smallest, as many as are read. Which these are depends on no time: their sizes are in their manifests. */
export function firstStatements(reading: ReadingAdded): BundleToRead[] {
  const first: BundleToRead[] = []
  const { allBytes } = ATTESTATION_LIMITS
  let bytes = 0
  const bySize = (a: BundleToRead, b: BundleToRead) => a.layer.size - b.layer.size
  for (const one of inOrder(reading.statements).toSorted(bySize)) {
    bytes += one.layer.size
    if (bytes > allBytes) {
      reading.tooManyStatements = `the statements have more than ${byteLimit(allBytes)}`
      break
    }
    first.push(one)
  }
  return first
}

export function addedIn(reading: ReadingAdded): Added {
  const { found, others, incomplete } = reading
  const [statements, bundles] = [inOrder(found.statement), inOrder(found.keyless)]
  return {
    envelopes: inOrder(found.signature),
    others: inOrder(others),
    incomplete,
    attestations: attestationsIn(statements, bundles, reading),
  }
}

/** In one order, whichever was read first. */
function inOrder<T extends { readonly digest: string }>(list: readonly T[]): readonly T[] {
  return list.toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
}

/** All of them; which count is decided where the policies are known. */
function attestationsIn(
  statements: readonly AddedEnvelope[],
  bundles: readonly AddedEnvelope[],
  {
    incomplete,
    tooManyBundles,
    tooManyStatements,
  }: Pick<ReadingAdded, 'incomplete' | 'tooManyBundles' | 'tooManyStatements'>,
): Attestations | undefined {
  const problem = problemOf('limit', tooManyBundles) ?? problemOf('io', incomplete)
  const unread = problemOf('limit', tooManyStatements)
  if (statements.length === 0 && bundles.length === 0 && problem === undefined && unread === undefined)
    return undefined
  const placed = (list: readonly AddedEnvelope[]) =>
    list.map(({ digest, bytes }) => ({ where: digest, bytes }))
  const hasKeyless = bundles.length > 0 || problem !== undefined
  return {
    label: 'what is attached to it',
    envelopes: placed(statements),
    problem: unread,
    ...(hasKeyless && { keyless: { bundles: placed(bundles), problem } }),
  }
}

function problemOf(why: AttestationsProblem['why'], message: string | undefined) {
  return message === undefined ? undefined : { why, message }
}
