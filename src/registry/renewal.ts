// Whether a bundle that is pushed only renews the signatures of the one that a tag names. Then the tag moves without --force: a host that
// pulls it gets the same agent, from the same signers, for longer. Both bundles are read whole, because no registry is believed.
import { outline } from '../format/agent/read-agent.ts'
import { readBundleManifest, statedIdentity } from '../format/oci/manifest.ts'
import { ociReferenceText } from '../format/oci/reference.ts'
import { writePath } from '../format/text/shell-words.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import { nearReference } from '../io/layout-folder.ts'
import type { Deadline } from '../io/wait/deadline.ts'
import { RlpError } from '../model/error.ts'
import type { OciReference, StoredManifest } from '../model/oci.ts'
import { addedSigners } from '../verify/merge-added.ts'
import { unsoundIn } from '../verify/sound.ts'
import type { Verification } from '../verify/verify.ts'
import { verify } from '../verify/verify-at-once.ts'
import { layerOf, plainLayer } from './open-carried.ts'
import { tagTaken } from './push-target.ts'
import { readAdded } from './read-added.ts'
import type { Store } from './store.ts'

/** Throws unless a tag that names `there` may move. It is asked again for what the tag names by the end of a push. */
export type MayMove = (store: Store, there: StoredManifest) => Promise<void>

/** The bundle that is pushed. */
export interface Renewal {
  /** With the tag. */
  readonly reference: OciReference
  /** As the caller called it. */
  readonly label: string
  /** Of the bundle, which was read whole and is sound. */
  readonly verification: Verification
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

async function refuseOther(
  { reference, label, verification, deadline }: Renewal,
  store: Store,
  there: StoredManifest,
): Promise<void> {
  const { report, notAfter } = verification
  const at = nearReference(ociReferenceText(reference))
  const other = () => tagTaken(reference, there.digest, label)
  const read = readBundleManifest(there.bytes, there.mediaType)
  // The annotation is a hint: it saves the reading of another agent, and makes nothing a renewal.
  if ('problem' in read || statedIdentity(read.value) !== report.identity) throw other()
  const layer = layerOf(there, at)
  const { signal } = deadline
  const candidate = await readBundle(plainLayer(store.read(layer), at), {
    ...{ keep: 'parsed', label: at, signal, size: layer.size },
  })
  const { error } = candidate.refusal ?? {}
  if (error !== undefined) throw error
  const old = verify(outline(candidate), { expect: 'any', look: true })
  if (unsoundIn(old.report) !== undefined || old.report.identity !== report.identity) throw other()
  if (old.notAfter === undefined || notAfter === undefined || notAfter <= old.notAfter)
    throw notLater({ label, at }, old.notAfter, notAfter)
  const added = await readAdded(store, there.digest, deadline)
  if (added.incomplete !== undefined)
    throw new RlpError(
      'STORE',
      `Cannot push "${label}": what is attached to ${at} was not read whole: ${added.incomplete}`,
      {
        hint: 'Run the command again, or ask who keeps the registry',
      },
    )
  const keys = report.signatures.map(({ keyid }) => keyid)
  const before = [
    ...old.report.signatures.map(({ keyid }) => keyid),
    ...addedSigners({ ...candidate, added }),
  ]
  const missing = [...new Set(before)].filter(key => !keys.includes(key))
  if (missing.length === 0) return
  throw new RlpError(
    'EXISTS',
    `Cannot push "${label}": the renewed signature of ${missing.join(' and ')} is missing, which has signed ${at}`,
    {
      hint: `Let its owner run rlp agent sign ${writePath(label)} --key KEY --renew 90d on the same file, within a day. If the tag is meant to move without this signature, \`force\` moves it`,
    },
  )
}

/** The same agent, signed otherwise: to move the tag would not renew it. */
function notLater(
  { label, at }: { readonly label: string; readonly at: string },
  before: string | undefined,
  after: string | undefined,
): RlpError {
  const ends = (end: string | undefined) => (end === undefined ? 'do not end' : `end at ${end}`)
  return new RlpError(
    'EXISTS',
    `Cannot push "${label}": ${at} names the same agent, whose signatures ${ends(before)}, and the new ones ${ends(after)}`,
    {
      hint: `rlp agent sign ${writePath(label)} --key KEY --renew 90d renews the signatures, and rlp agent sign ${writePath(at)} --key KEY adds one to the stored bundle. If the tag is meant to move, \`force\` moves it`,
    },
  )
}
