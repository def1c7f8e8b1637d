// The options of `agent sign` → the signer: a key of ours, a signature from outside, or none yet.
import type { Io, Option } from '../cli/command.ts'
import { namedPath, nearLabel } from '../io/home.ts'
import { entryAt } from '../io/read/entry.ts'
import { openFile, readAt, readFile, readWhole, withFile } from '../io/read/read-file.ts'
import { writeAtomic } from '../io/write/write-atomic.ts'
import type { Agent } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Signer } from '../model/signer.ts'
import { preAuthEncoding } from '../signature/envelope.ts'
import { keyQuery } from './ask-key.ts'
import { anchorKeyOf, loadPublicKey, loadSigner } from './keys.ts'
import { type EndOptions, payloadFor, type Signing, signingWith } from './sign.ts'
import { keyPrefixes, keySpellings } from './signers/index.ts'

/** How every command that signs is told with which key. */
export const KEY_OPTION = {
  type: 'string',
  alias: 'k',
  placeholder: 'KEY',
  begins: keyPrefixes(),
  describe: keySpellings(),
} as const satisfies Option

/** The signer that `--key` names; {@link signBytes} asks it. */
export async function signerCalled(key: string, io: Io): Promise<Signer> {
  return loadSigner(keyQuery(key, io))
}

/** The options that name a signer. */
interface SignerFlags {
  readonly key: string | undefined
  readonly importSignature: string | undefined
}

/** Reads keys and files, once for all bundles: a passphrase is asked for once, and never while a bundle is locked. */
export async function openSigner({ key = '', importSignature }: SignerFlags, io: Io): Promise<Signing> {
  if (importSignature === undefined) return signingWith(await signerCalled(key, io))
  const publicKey = anchorKeyOf(await loadPublicKey(keyQuery(key, io)))
  const signature = await readSignature(namedPath(importSignature, io.cwd), importSignature)
  return { key: publicKey, signature: async () => signature }
}

/** The file that was written for a signer outside. */
export interface ExportedPayload {
  /** The file with the bytes to sign, as it is near the current folder. */
  readonly payload: string
  /** Whether the file has other bytes than before. */
  readonly changed: boolean
}

/** Writes the exact bytes that a signer outside has to sign. Replaces only a file with such bytes. */
export async function exportPayload(
  agent: Agent,
  options: EndOptions,
  file: string,
  io: Io,
): Promise<ExportedPayload> {
  const path = namedPath(file, io.cwd)
  const isThere = entryAt(path) !== undefined
  const before = isThere ? await payloadAt(path) : undefined
  if (isThere && before === undefined)
    throw new RlpError('EXISTS', `Cannot write "${file}": something else is there`, {
      hint: 'Name another file for --export-payload',
    })
  const bytes = preAuthEncoding(payloadFor(agent, options))
  await writeAtomic(path, bytes, { label: file, signal: io.signal })
  const changed = before === undefined || Buffer.compare(before, bytes) !== 0
  return { payload: nearLabel(path, io.cwd), changed }
}

/** The bytes of an earlier export; undefined if the file holds something else. */
function payloadAt(path: string): Promise<Uint8Array | undefined> {
  return withFile(openFile(path, { follow: true }), async file => {
    const head = Buffer.alloc(7)
    await readAt(file, head, 0)
    return head.toString('latin1') === 'DSSEv1 ' ? readWhole(file) : undefined
  })
}

/** 64 bytes, or their base64. */
async function readSignature(path: string, label: string): Promise<Uint8Array> {
  const bytes = await readFile(path, { follow: true, label, most: 200, larger: () => new Uint8Array() })
  if (bytes.length === 64) return bytes
  const text = Buffer.from(bytes).toString('latin1').trim()
  const decoded = Buffer.from(text, 'base64')
  if (decoded.length === 64 && decoded.toString('base64') === text) return new Uint8Array(decoded)
  throw new RlpError(
    'WRONG_FILE_TYPE',
    `Cannot add the signature in "${label}": it is not 64 bytes, raw or in base64`,
    { hint: 'Sign what --export-payload wrote with Ed25519, as openssl pkeyutl -sign -rawin does' },
  )
}
