// A bundle on disk and an identity → one more Sigstore bundle in its file of attestations. The bundle itself stays as it is.

import type { Target } from '../../io/find/search-folders.ts'
import { realPath } from '../../io/read/real-path.ts'
import type { Setting } from '../../io/setting.ts'
import type { CertificateFacts } from '../../model/keyless.ts'
import { besideBundle } from '../../statement/beside-bundle.ts'
import { type Demands, readSound, readToSign } from '../../verify/read-to-sign.ts'
import { bundleIdentity } from '../../version/reference.ts'
import type { EndAsked } from '../end-asked.ts'
import { besideIn, changeBeside, lineAdded } from '../lines-beside.ts'
import { payloadFor } from '../sign.ts'
import { changedMeanwhile, standing } from '../standing.ts'
import type { Keyless, KeylessSigned } from './keyless.ts'

/** A bundle that an identity has signed. */
export interface SignedKeyless {
  /** As the caller called it. */
  readonly bundle: string
  /** The identity that signed, as a trust policy that names it calls it: `oidc:…`. */
  readonly signer: string
  /** `blake3:…` of the signed manifest. */
  readonly identity: string
  /** What the certificate says of who signed. */
  readonly certificate: CertificateFacts
  /** Index of the entry in the log; null without a log. */
  readonly logIndex: string | null
  /** When it was signed, as log or time stamp says: a UTC second. */
  readonly time: string
  /** The file that has the signature, as the caller calls the bundle; null for a stored bundle. */
  readonly file: string | null
  /** `sha256:…` of the manifest that holds it; null for a file. */
  readonly attached: string | null
  /** Whether the signature is new there: it is, because each one has its own time and certificate. */
  readonly changed: boolean
}

/**
 * The services are asked before the file is locked: they may take their time. What others have added meanwhile is kept, and a bundle that is no longer the
 * one that was signed gets no signature beside it.
 * @throws RlpError NOT_VERIFIED for a bundle that is not sound; as the services, reading and writing do; then nothing is written
 */
export async function signBundleKeyless(
  { path: named, label }: Target,
  keyless: Keyless,
  options: EndAsked,
  io: Setting,
  demands: Demands = {},
): Promise<SignedKeyless> {
  const path = await realPath(named, label)
  const doing = `sign "${label}"`
  const how = { doing, hint: 'Delete lines that are about other bundles', signal: io.signal }
  const file = { path: besideBundle(named), label: besideBundle(label) }
  const seen = standing(path)
  const { bundle, identity, payload: judged } = await readToSign({ path, label }, io, demands)
  const payload = payloadFor(bundle.agent, options, judged)
  // A file that takes nothing more is found before anything becomes public.
  await besideIn(file, how)
  const made = await keyless.sign(payload, doing)
  const changed = await changeBeside(file, how, async before => {
    const isSame = bundle.form !== 'directory' && standing(path) === seen
    const now = isSame ? bundle : await readSound(path, label, io)
    if (Buffer.compare(payloadFor(now.agent, options, judged), payload) !== 0) throw changedMeanwhile(doing)
    return lineAdded(before, made.line)
  })
  return { ...signedFacts(label, identity, made), file: file.label, attached: null, changed }
}

export function signedFacts(
  bundle: string,
  identity: string,
  { signer, certificate, logIndex, time }: KeylessSigned,
): Omit<SignedKeyless, 'file' | 'attached' | 'changed'> {
  return { bundle, signer, identity: bundleIdentity(identity), certificate, logIndex: logIndex ?? null, time }
}
