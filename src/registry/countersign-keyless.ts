// A stored bundle and an identity → one more Sigstore bundle beside it, where cosign and gh look for one. The bundle stays as it is.

import type { Target } from '../io/find/search-folders.ts'
import { sigstoreDocument } from '../oci/manifest.ts'
import { type Keyless, type SignedKeyless, signedFacts } from '../sign/keyless/keyless.ts'
import { payloadFor } from '../sign/sign.ts'
import { attachDocument } from './attach.ts'
import { type Opening, withStored } from './countersign.ts'

/**
 * An unsigned stored bundle may be signed so: what identities sign is never in it.
 * @throws RlpError NOT_VERIFIED for a bundle that is not sound, or not what the reference says; as the services and a store say
 */
export async function countersignKeyless(
  target: Target,
  keyless: Keyless,
  how: Opening,
): Promise<SignedKeyless> {
  const { label } = target
  const opening = { ...how, writes: true, mayBeUnsigned: true }
  return withStored(target, opening, async ({ store, manifest }, agent, identity, judged) => {
    const made = await keyless.sign(payloadFor(agent, {}, judged), `sign "${label}"`)
    const { attached, changed } = await attachDocument(store, manifest, sigstoreDocument(made.line))
    return { ...signedFacts(label, identity, made), file: null, attached, changed }
  })
}
