// A stored bundle → the same in another registry or layout folder, byte for byte, with the signatures and statements that are attached to it:
// the digest that a deployment pins holds on the other side. What is there already is not sent.

import { referenceIn } from '../io/reference.ts'
import { type Reach, timed } from '../io/wait/reach.ts'
import { ociReferenceText } from '../oci/reference.ts'
import { find } from './open-carried.ts'
import { type PushTarget, referenceFor } from './push-target.ts'
import { readAttached } from './read-attached.ts'
import { statedAgent } from './stated-agent.ts'
import { type StoredCopy, type StoringCopy, storeCopy } from './store-copy.ts'

export interface Copying extends StoringCopy, Reach {
  readonly to: PushTarget
  /** False copies the bundle alone; what is attached to it is not looked at. */
  readonly attach: boolean
}

const NOTHING = { taken: [], left: [] } as const

export interface Copied extends StoredCopy {
  /** As the caller called it. */
  readonly from: string
  /** Of the copy, with its tag. */
  readonly reference: string
  /** `sha256:…` of the manifest: what a deployment pins. The same on both sides. */
  readonly manifest: string
  /** `sha256:…` of the bundle. */
  readonly digest: string
  /** `sha256:…` of the manifest of each signature and statement beside it. */
  readonly attached: readonly string[]
  /** `sha256:…` of each signature and statement that was not copied, because the registry keeps nothing beside a bundle. */
  readonly lost: readonly string[]
  /** What is attached to it and is not copied: neither a signature nor a statement. */
  readonly left: readonly { readonly digest: string; readonly why: string }[]
}

/** @throws RlpError USAGE for a wrong reference or target; EXISTS for a tag with other content; as a store says */
export async function copyBundle(
  { path, label }: { readonly path: string; readonly label: string },
  copying: Copying,
): Promise<Copied> {
  const { to } = copying
  const from = referenceIn(path, 'copy')
  const reach = await timed(copying, from, to.reference)
  const found = await find(from, reach, { writes: false }, label)
  try {
    const agent = await statedAgent(found, label)
    const reference = referenceFor(to, agent, label, { doing: 'copy', tag: from.tag })
    const { taken, left } = copying.attach ? await readAttached(found, label) : NOTHING
    const stored = await storeCopy({ found, label, taken, reference }, copying, reach)
    const digests = taken.map(({ manifest }) => manifest.digest)
    return {
      from: label,
      reference: ociReferenceText(reference),
      manifest: found.manifest.digest,
      digest: found.layer.digest,
      left,
      changed: stored.changed,
      sent: stored.sent,
      ...(stored.keepsMore ? { attached: digests, lost: [] } : { attached: [], lost: digests }),
    }
  } finally {
    await found.store.close()
  }
}
