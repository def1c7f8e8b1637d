import type { Target } from '../io/find/search-folders.ts'
import { withMutex } from '../io/mutex.ts'
import { realPath } from '../io/read/real-path.ts'
import type { Setting } from '../io/setting.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import type { Signer } from '../model/signer.ts'
import { anchorString } from '../signature/kinds/index.ts'
import { type Demands, readAsItIs, readSound, readToSign } from '../verify/before-signing.ts'
import { assertSigned, withEnvelope } from '../verify/sound.ts'
import { bundleIdentity } from '../version/reference.ts'
import { type EndOptions, payloadFor, type Signing, withSignature } from './sign.ts'
import { changedMeanwhile, fileState, writeSignature, writeSignatureFile } from './write-signature.ts'

/** The key that signs, as a caller of the library names it. */
export interface KeyGiven {
  /** The name of a key, a PEM file, `env:VAR`, `ssh-agent:KEY`, `command:PROGRAM`, or a signer of the caller's own. */
  readonly key: string | Signer
  /** Gives the passphrase of an encrypted key. Without it, `RLP_KEY_PASSPHRASE` in `env` must have it. */
  readonly passphrase?: ((key: string) => string | Promise<string>) | undefined
}

export interface SignedBundle {
  /** As the caller called it. */
  readonly bundle: string
  /** Anchor string of the key that signed. */
  readonly signer: string
  /** `blake3:…` of the signed manifest. */
  readonly identity: string
  /** Whether the bundle got a signature that it did not have. */
  readonly changed: boolean
}

/**
 * Signs one bundle in its place. The signer is asked before the bundle is locked, because it may wait for a person. Under the lock, what others
 * have added meanwhile is kept; a bundle that is no longer the one that was signed is left as it is.
 */
export async function signBundle(
  { path: named, label }: Target,
  { key, signature }: Signing,
  options: EndOptions,
  io: Setting,
  demands: Demands = {},
): Promise<SignedBundle> {
  const path = await realPath(named, label)
  const doing = `sign "${label}"`
  const signer = anchorString(key)
  const seen = fileState(path)
  const { bundle: read, identity, payload: judged } = await readToSign({ path, label }, io, demands)
  const payload = payloadFor(read.agent, options, judged)
  const sig = await signature(payload, doing)
  const work = async () => {
    const isSame = read.form !== 'directory' && fileState(path) === seen
    // What was judged is what was signed: a bundle read once more only takes the signature, and has to have the same statement.
    const bundle = isSame ? read : await readSound(path, label, io)
    const now = payloadFor(bundle.agent, options, judged)
    if (Buffer.compare(now, payload) !== 0) throw changedMeanwhile(doing)
    const made = withSignature(bundle.agent, payload, key, sig)
    await assertSigned(withEnvelope(bundle, made), signer, io.signal)
    if (bundle.form === 'directory') await writeSignatureFile(path, made, { label, signal: io.signal })
    else {
      // What takes the bundle's place is what is verified: the bytes on disk, not those in memory.
      const check = async (at: string) => assertSigned(await readAsItIs(at, label, io), signer, io.signal)
      await writeSignature(path, made, { label, signal: io.signal, check })
    }
    const before = bundle.agent.files.get(SIGNATURE_FILE)?.bytes
    const changed = before === undefined || Buffer.compare(before, made) !== 0
    return { bundle: label, signer, identity: bundleIdentity(identity), changed }
  }
  return withMutex(`${path}.rlp-lock`, doing, work, io.signal)
}
