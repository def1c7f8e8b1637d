// Checks whether a bundle that is pushed or copied only renews the signatures of the one that a tag names. Then the tag moves without
// --force: a host that pulls it gets the same agent, from the same signers, for longer. Both bundles are read whole, because no registry
// is believed.

import { readBundle } from '../io/bundle/read-bundle.ts'
import { nearReference } from '../io/layout-folder.ts'
import type { Deadline } from '../io/wait/deadline.ts'
import { RlpError } from '../model/error.ts'
import type { Descriptor, OciReference, StoredManifest } from '../model/oci.ts'
import { readBundleManifest, statedIdentity } from '../oci/manifest.ts'
import { ociReferenceText } from '../oci/reference.ts'
import { writePath } from '../text/shell-words.ts'
import { lookInto, unsoundIn } from '../verify/sound.ts'
import type { Verification } from '../verify/verify.ts'
import { addedSigners } from '../verify/verify-merged.ts'
import { type Found, layerOf, plainLayer } from './open-carried.ts'
import { type Sending, tagTaken } from './push-target.ts'
import { readAdded } from './read-added.ts'
import type { Store } from './store.ts'

const DAY_MS = 86_400_000
/** How long signatures usually last. */
const USUAL_DAYS = 90

/** Throws unless a tag that names `there` may move. It is asked again for what the tag names by the end of a push. */
export type MayMove = (store: Store, there: StoredManifest) => Promise<void>

/** The bundle that is to get the tag. */
interface Renewal {
  /** With the tag. */
  readonly reference: OciReference
  /** As the caller called it. */
  readonly label: string
  readonly doing: Sending
  /** `blake3:…`, as far as it is known before the bundle is read; a wrong one makes nothing a renewal. */
  readonly identity: string | undefined
  /** Reads it. */
  readonly next: () => Promise<WithSigners>
  readonly deadline: Deadline
}

/** @throws RlpError EXISTS for anything but a renewal; as a store says */
export function renewalOnly(renewal: Renewal): MayMove {
  let seen: string | undefined
  return async (store, there) => {
    if (there.digest === seen) return
    await refuseOther(renewal, store, there)
    seen = there.digest
  }
}

/** What a copy would give the tag. @param attach false if what is attached to it is not copied */
export function copiedNext(
  { store, manifest, layer }: Found,
  attach: boolean,
  deadline: Deadline,
  label: string,
): Pick<Renewal, 'identity' | 'next'> {
  const reading = { store, label, deadline, doing: 'copy' } as const
  return {
    identity: claimedBy(manifest),
    next: () => readWithSigners({ ...reading, layer, digest: attach ? manifest.digest : undefined }),
  }
}

/** An annotation is a hint: it saves the reading of another agent. */
function claimedBy({ bytes, mediaType }: StoredManifest): string | undefined {
  const read = readBundleManifest(bytes, mediaType)
  return 'problem' in read ? undefined : statedIdentity(read.value)
}

async function refuseOther(renewal: Renewal, store: Store, there: StoredManifest): Promise<void> {
  const { reference, label, doing, deadline, identity } = renewal
  const at = nearReference(ociReferenceText(reference))
  const other = () => tagTaken(reference, there.digest, label, doing)
  if (identity === undefined || claimedBy(there) !== identity) throw other()
  const next = await renewal.next()
  const layer = layerOf(there, at)
  const old = await readWithSigners({ store, layer, digest: there.digest, label: at, deadline, doing })
  const [before, after] = [old.verification, next.verification]
  const isSame = before.report.identity !== null && before.report.identity === after.report.identity
  if (!isSame || [before, after].some(({ report }) => unsoundIn(report) !== undefined)) throw other()
  if (before.notAfter === undefined || after.notAfter === undefined || after.notAfter <= before.notAfter)
    throw notLater(renewal, at, before.notAfter, after.notAfter)
  const missing = old.signers.filter(key => !next.signers.includes(key))
  if (missing.length > 0) throw notSigned(renewal, at, missing, after.notAfter)
}

function notSigned({ label, doing }: Renewal, at: string, missing: readonly string[], end: string): RlpError {
  const how =
    doing === 'push'
      ? ` --renew ${daysUntil(end)}d on the same file, within a day`
      : ', which adds it to the stored bundle'
  return new RlpError(
    'EXISTS',
    `Cannot ${doing} "${label}": the renewed signature of ${missing.join(' and ')} is missing, which has signed ${at}`,
    {
      hint: `Let its owner run rlp agent sign ${writePath(label)} --key KEY${how}. If the tag is meant to move without this signature, \`force\` moves it`,
    },
  )
}

/** The same agent, signed otherwise: to move the tag would not renew it. */
function notLater(
  { label, doing }: Renewal,
  at: string,
  before: string | undefined,
  after: string | undefined,
): RlpError {
  const ends = (end: string | undefined) => (end === undefined ? 'do not end' : `end at ${end}`)
  // No end is later than none.
  const renewed =
    doing === 'push' && before !== undefined
      ? `rlp agent sign ${writePath(label)} --key KEY --renew ${daysAfter(before)}d renews the signatures, and `
      : ''
  return new RlpError(
    'EXISTS',
    `Cannot ${doing} "${label}": ${at} names the same agent, whose signatures ${ends(before)}, and the new ones ${ends(after)}`,
    {
      hint: `${renewed}rlp agent sign ${writePath(at)} --key KEY adds one to the stored bundle. If the tag is meant to move, \`force\` moves it`,
    },
  )
}

/** Whole days from now to the end of other signatures, or up to a day later: `--renew` then adds to their statement. */
function daysUntil(end: string): number {
  return Math.ceil((Date.parse(end) - Date.now()) / DAY_MS)
}

/** Days from now until later than the end that is stored. */
function daysAfter(end: string): number {
  return Math.max(USUAL_DAYS, daysUntil(end) + 1)
}

/** A bundle that was read whole, with the keys that have signed it. */
interface WithSigners {
  readonly verification: Verification
  /** In it or beside it. */
  readonly signers: readonly string[]
}

interface Reading {
  readonly label: string
  readonly doing: Sending
  readonly deadline: Deadline
  readonly store: Store
  readonly layer: Descriptor
  /** Of the manifest to which more signatures may be attached; undefined if those do not matter. */
  readonly digest: string | undefined
}

/** @throws RlpError STORE if not all that is attached can be read; as a store says */
async function readWithSigners({
  store,
  layer,
  digest,
  label,
  deadline,
  doing,
}: Reading): Promise<WithSigners> {
  const candidate = await readBundle(plainLayer(store.read(layer), label), {
    keep: 'parsed',
    label,
    signal: deadline.signal,
    size: layer.size,
  })
  const { error } = candidate.refusal ?? {}
  if (error !== undefined) throw error
  const verification = await lookInto(candidate, deadline.signal)
  const added = digest === undefined ? undefined : await readAdded(store, digest, deadline)
  if (added?.incomplete !== undefined)
    throw new RlpError(
      'STORE',
      `Cannot ${doing} to a tag that is taken: what is attached to ${label} was not read whole: ${added.incomplete}`,
      { hint: 'Run the command again, or ask who keeps the registry' },
    )
  return { verification, signers: [...signingKeys(verification), ...addedSigners({ ...candidate, added })] }
}

/** The keys that have signed a sound bundle. */
export function signingKeys({ report }: Verification): string[] {
  return report.signatures.map(({ keyid }) => keyid)
}
