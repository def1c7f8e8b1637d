// A bundle on disk and a signer → the same bundle with one signature more, verified before it takes the old one's place.
import { isOciReference } from '../format/oci/scheme.ts'
import { anchorString } from '../format/signature/kinds/index.ts'
import type { Target } from '../io/find/search-folders.ts'
import { type LongOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { withMutex } from '../io/mutex/mutex.ts'
import { realPath } from '../io/read/real-path.ts'
import type { Setting } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import type { Signer } from '../model/signer.ts'
import { UsageError } from '../model/usage-error.ts'
import { demandsGiven, type IfTrusted } from '../verify/demands-given.ts'
import { type Demands, readAsItIs, readSound, readToSign } from '../verify/read-to-sign.ts'
import { assertSigned, withEnvelope } from '../verify/sound.ts'
import { loadSigner } from './keys.ts'
import { refuseAtOnce } from './refuse-at-once.ts'
import { payloadFor, type Signing, type SignOptions, signingWith, withSignature } from './sign.ts'
import { changedMeanwhile, standing } from './standing.ts'
import { writeSignature } from './write-signature.ts'
import { writeSignatureFile } from './write-signature-file.ts'

/** The key that signs, as a caller of the library names it. */
export interface KeyGiven {
  /** The name of a key, a PEM file, `env:VAR`, `ssh-agent:KEY`, `command:PROGRAM`, or a signer of the caller's own. */
  readonly key: string | Signer
  /** Gives the passphrase of an encrypted key. Without it, `RLP_KEY_PASSPHRASE` in `env` must have it. */
  readonly passphrase?: ((key: string) => string | Promise<string>) | undefined
}

export interface SignBundleOptions extends LongOptions, SignOptions, KeyGiven, IfTrusted {
  /** Which bundle it has to be: a name with a version or range, or `blake3:` and the identity that {@link inspect} shows. */
  readonly expect?: string
}

export interface SignedBundle {
  /** As the caller called it. */
  readonly bundle: string
  /** Anchor string of the key that signed. */
  readonly signer: string
  /** BLAKE3 of the signed manifest. */
  readonly identity: string
}

/**
 * Adds a signature to a bundle file or an unpacked bundle. A bundle that does not verify is not signed, and the new bundle is verified before it
 * takes the place of the old one. A second signature of one key replaces its first.
 *
 * @example
 * const { signer } = await sign('dist/mailer-0.1.0.agent.bundle', { key: 'release' })
 * console.log(signer)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for a bundle that is not sound, `NOT_FOUND`, `NEEDS_ANSWER` when the passphrase is missing,
 * `WRONG_FILE_TYPE` for what is no key and for a bundle in gzip, `LIMIT_EXCEEDED` beyond sixteen signatures, `SIGNER` when an agent or a
 * program fails, `CANCELLED`; then the bundle is as it was
 */
export async function signPath(bundle: PathGiven, options: SignBundleOptions): Promise<SignedBundle> {
  return runVerb('sign', options, async (given, io) => {
    const target = targetGiven(bundle, io, 'sign')
    if (isOciReference(target.path))
      throw new UsageError(`Cannot sign "${target.label}": it is stored already`, {
        hint: 'countersign adds a signature beside a stored bundle',
      })
    const demands = demandsGiven(given, io)
    await refuseAtOnce(target)
    const { notAfter, replace } = given
    return signBundle(target, signingWith(await signerGiven(given, io)), { notAfter, replace }, io, demands)
  })
}

export async function signerGiven({ key, passphrase }: KeyGiven, io: Setting): Promise<Signer> {
  if (typeof key !== 'string') return key
  return loadSigner({
    which: key,
    cwd: io.cwd,
    env: io.env,
    signal: io.signal,
    async ask(what) {
      if (passphrase !== undefined) return passphrase(what)
      throw new RlpError('NEEDS_ANSWER', `Cannot use the key "${what}": its passphrase is missing`, {
        hint: 'Give it in passphrase, or set RLP_KEY_PASSPHRASE',
      })
    },
  })
}

/**
 * Signs one bundle in its place. The signer is asked before the bundle is locked, because it may wait for a person. Under the lock, what others
 * have added meanwhile is kept; a bundle that is no longer the one that was signed is left as it is.
 */
export async function signBundle(
  { path: named, label }: Target,
  { key, signature }: Signing,
  options: SignOptions,
  io: Setting,
  demands: Demands = {},
): Promise<SignedBundle> {
  const path = await realPath(named, label)
  const doing = `sign "${label}"`
  const signer = anchorString(key)
  const seen = standing(path)
  const { bundle: read, identity, payload: judged } = await readToSign({ path, label }, io, demands)
  const payload = payloadFor(read.agent, options, judged)
  const sig = await signature(payload, doing)
  const work = async () => {
    const isSame = read.form !== 'directory' && standing(path) === seen
    // What was judged is what was signed: a bundle read once more only takes the signature, and has to have the same statement.
    const bundle = isSame ? read : await readSound(path, label, io)
    const now = payloadFor(bundle.agent, options, judged)
    if (Buffer.compare(now, payload) !== 0) throw changedMeanwhile(doing)
    const made = withSignature(bundle.agent, payload, key, sig, options)
    await assertSigned(withEnvelope(bundle, made), signer, io.signal)
    if (bundle.form === 'directory') await writeSignatureFile(path, made, { label, signal: io.signal })
    else {
      // What takes the bundle's place is what is verified: the bytes on disk, not those in memory.
      const check = async (at: string) =>
        assertSigned(await readAsItIs(at, label, io, io.onProgress), signer, io.signal)
      await writeSignature(path, made, { label, signal: io.signal, check })
    }
    return { bundle: label, signer, identity }
  }
  return withMutex(`${path}.rlp-lock`, doing, work, io.signal)
}
