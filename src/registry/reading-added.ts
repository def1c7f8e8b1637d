// What was read of what is attached to a bundle, and up to where: the state of one reading, and its result. Pure.
import type { Attestations, AttestationsProblem } from '../model/attestation.ts'
import type { Added, AddedEnvelope } from '../model/carried.ts'
import { byteLimit, KEYLESS_LIMITS } from '../model/limits.ts'
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
  /** Of signatures and statements. */
  bytes: number
  /** Why there may be more. What could be read counts all the same. */
  incomplete: string | undefined
  /** No more is asked for. */
  isGivenUp: boolean
}

export function newReading(): ReadingAdded {
  return {
    found: { signature: [], statement: [], keyless: [] },
    ...{ others: [], keyless: [], bytes: 0 },
    ...{ tooManyBundles: undefined, incomplete: undefined, isGivenUp: false },
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

export function addedIn({ found, others, incomplete, tooManyBundles }: ReadingAdded): Added {
  const [statements, bundles] = [inOrder(found.statement), inOrder(found.keyless)]
  return {
    envelopes: inOrder(found.signature),
    others: inOrder(others),
    incomplete,
    attestations: attestationsIn(statements, bundles, { incomplete, tooManyBundles }),
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
  { incomplete, tooManyBundles }: Pick<ReadingAdded, 'incomplete' | 'tooManyBundles'>,
): Attestations | undefined {
  const problem = problemOf('limit', tooManyBundles) ?? problemOf('io', incomplete)
  if (statements.length === 0 && bundles.length === 0 && problem === undefined) return undefined
  const placed = (list: readonly AddedEnvelope[]) =>
    list.map(({ digest, bytes }) => ({ where: digest, bytes }))
  const hasKeyless = bundles.length > 0 || problem !== undefined
  return {
    label: 'what is attached to it',
    envelopes: placed(statements),
    problem: undefined,
    ...(hasKeyless && { keyless: { bundles: placed(bundles), problem } }),
  }
}

function problemOf(why: AttestationsProblem['why'], message: string | undefined) {
  return message === undefined ? undefined : { why, message }
}
