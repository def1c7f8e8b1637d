// Adds a signature beside a stored bundle, which stays as it is. The bundle is read whole first, and only a sound one is signed.
import { readBundle } from '../io/bundle/read-bundle.ts'
import type { Target } from '../io/find/search-folders.ts'
import { referenceIn } from '../io/reference.ts'
import { timed } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import type { Agent } from '../model/agent.ts'
import type { Candidate } from '../model/bundle.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { OciReference } from '../model/oci.ts'
import { ownMembers } from '../model/own.ts'
import { signatureDocument } from '../oci/manifest.ts'
import { impliedBy } from '../oci/reference.ts'
import { type EndOptions, payloadFor, type Signing, withSignature } from '../sign/sign.ts'
import { anchorString } from '../signature/kinds/index.ts'
import {
  type Demands,
  refuseUnexpected,
  refuseVague,
  type Trusted,
  type TrustedOnly,
  trustedToSign,
} from '../verify/before-signing.ts'
import { expectationOfReference, pinnedReference } from '../verify/examine.ts'
import { judgeCandidate } from '../verify/judge-candidate.ts'
import { openLocks } from '../verify/open-locks.ts'
import { soundBundle } from '../verify/sound.ts'
import { bundleIdentity, expectationText, manifestDigestOf, meets } from '../version/reference.ts'
import { attachDocument, refuseKeepingNothing } from './attach.ts'
import { type Found, find, mayHaveKeyless, plainLayer } from './open-carried.ts'
import { readAdded } from './read-added.ts'

const SIGN_ELSEWHERE =
  'rlp agent copy takes the bundle to a registry or layout folder that keeps them. Or sign the file with a key before you push it'

export interface Countersigned {
  readonly bundle: string
  readonly signer: string
  /** `blake3:…` of the signed manifest. */
  readonly identity: string
  /** `sha256:…` of the manifest that holds the signature. */
  readonly attached: string
  /** False if this very signature was beside the bundle before. */
  readonly changed: boolean
}

/** What is demanded of a stored bundle. If nothing is expected, and no verdict asked for, a person must have said yes. */
export interface Opening extends Reach, Pick<Demands, 'expect' | 'ifTrusted' | 'approve'> {}

interface StoredOpening extends Opening {
  readonly writes: boolean
  /** Signatures of keys add to those in it; those of identities do not. */
  readonly mayBeUnsigned?: boolean
}

/** @throws RlpError NOT_VERIFIED for a bundle that is not sound, or not what the reference says; as a store says */
export async function countersignByKey(
  { path, label }: Target,
  signing: Signing,
  how: Opening,
): Promise<Countersigned> {
  return withStored({ path, label }, { ...how, writes: true }, async (found, agent, identity, judged) => {
    const signer = anchorString(signing.key)
    const payload = payloadFor(agent, {}, judged)
    const signature = await signing.signature(payload, `sign "${agent.label}"`)
    // Without those that are there: the envelope holds what is added.
    const envelope = withSignature(agent, payload, signing.key, signature, true)
    const { manifest, store } = found
    const { attached, changed } = await attachDocument(store, manifest, signatureDocument(envelope))
    return { bundle: label, signer, identity: bundleIdentity(identity), attached, changed }
  })
}

/** @throws UsageError for what would be another statement than the one that is stored */
export function refuseChanges(options: EndOptions, label: string): void {
  const { renew, notAfter } = ownMembers(options)
  if (renew !== undefined || notAfter !== undefined)
    throw new UsageError(`Cannot sign "${label}" with --renew or --not-after: it is stored already`, {
      hint: 'A signature beside it is over the statement that is in it. To renew its signatures, run rlp agent pull, sign the file with --renew, and push it again',
    })
}

/** Opens a stored bundle and reads all of it, once: only what is sound, and what the reference says, is signed. */
export async function withStored<T>(
  { path, label }: Target,
  opening: StoredOpening,
  work: (found: Found, agent: Agent, identity: string, judged: Uint8Array | undefined) => Promise<T>,
): Promise<T> {
  const { expect, ifTrusted, approve, signal, writes, mayBeUnsigned } = opening
  if (ifTrusted === undefined && expect !== undefined) refuseVague(expect, label)
  const judging = ifTrusted && (await judgingBy(ifTrusted, { path, label }, expect, signal))
  const reference = referenceIn(judging?.path ?? path, 'sign')
  const reach = await timed(opening, reference)
  const found = await find(reference, reach, { writes }, label)
  const { store, layer, manifest } = found
  try {
    if (writes) await refuseKeepingNothing(store, manifest.digest, `sign "${label}"`, SIGN_ELSEWHERE)
    const added = judging && (await readAdded(store, manifest.digest, reach.deadline))
    const unsigned = mayHaveKeyless(added)
    const { onProgress } = reach
    const read = { keep: 'parsed', label, signal, size: layer.size, onProgress, unsigned } as const
    const candidate = await readBundle(plainLayer(store.read(layer), store.label), read)
    if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
    const origin = { reference: label, manifest: manifest.digest, bundle: layer.digest }
    const { bundle, report, identity, payload } = added
      ? await judging.judge({ ...candidate, origin, added })
      : await storedSound(candidate, reference, expect, mayBeUnsigned, signal)
    await approve?.({ label, report, agent: bundle.agent, sha256: layer.digest.slice('sha256:'.length) })
    return await work(found, bundle.agent, identity, payload)
  } finally {
    await store.close()
  }
}

/** How `--if-trusted` judges a stored bundle: as `verify` does, and of what a lock pins the digest is fetched. */
async function judgingBy(
  { locks: given, ...how }: TrustedOnly,
  { path, label }: Target,
  expect: string | undefined,
  signal: AbortSignal,
) {
  const locks = await openLocks(given)
  const expected = expectationOfReference(path, { label, expect, mustExpect: locks.length === 0 })
  const options = { ...how, locks, signal }
  return {
    path: pinnedReference(path, locks),
    judge: async (candidate: Candidate) =>
      trustedToSign(await judgeCandidate(candidate, expected, options), options),
  }
}

/**
 * What of a stored bundle is signed if nothing is asked of a policy: it is sound, and the one that the reference says.
 * @param mayBeUnsigned signatures of keys add to those in it; those of identities do not
 * @throws RlpError NOT_VERIFIED
 */
async function storedSound(
  candidate: Candidate,
  reference: OciReference,
  expect: string | undefined,
  mayBeUnsigned: boolean | undefined,
  signal: AbortSignal | undefined,
): Promise<Trusted> {
  const { label } = candidate
  const { report, agent: whole, outline } = await soundBundle(candidate, 'sign', signal)
  refuseOther(reference, report.agent, label)
  if (expect !== undefined) refuseUnexpected(expect, { label, report, agent: whole })
  if (report.signatures.length === 0 && !mayBeUnsigned)
    throw new RlpError('NOT_VERIFIED', `Cannot sign "${label}": the stored bundle is unsigned`, {
      hint: 'Sign the file and push it: a signature beside a bundle adds to those in it',
    })
  if (report.identity === null) throw new TypeError('a sound bundle has an identity')
  const identity = manifestDigestOf(report.identity)
  return { bundle: { ...candidate, agent: whole ?? outline.agent }, report, identity }
}

/** A carrier could have put another agent there: a signature must not be got for it. */
function refuseOther(
  reference: OciReference,
  agent: Parameters<typeof meets>[0] | null,
  label: string,
): void {
  const implied = impliedBy(reference)
  if (implied === undefined || (agent !== null && meets(agent, implied))) return
  throw new RlpError('NOT_VERIFIED', `Cannot sign "${label}": it is not ${expectationText(implied)}`, {
    hint: 'Look into it with rlp agent inspect',
  })
}
