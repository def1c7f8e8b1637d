// A signer outside: the file with the bytes that it signs, and the one with the signature that it gives.
import { nearLabel } from '../io/home.ts'
import { entryAt } from '../io/read/entry.ts'
import { openFile, readAt, readFile, readWhole, withFile } from '../io/read/read-file.ts'
import type { Setting } from '../io/setting.ts'
import { writeAtomic } from '../io/write/write-atomic.ts'
import type { Agent } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { preAuthEncoding } from '../signature/envelope.ts'
import type { LabelledFile } from '../verb/kinds/paths.ts'
import { anchorKeyOf, loadPublicKey } from './keys.ts'
import { type EndOptions, payloadFor, type Signing } from './sign.ts'
import type { KeyQuery } from './signers/kind.ts'

/** A signature that was made outside. @param key the public key of who made it */
export async function importedSigning(key: KeyQuery, { path, label }: LabelledFile): Promise<Signing> {
  const publicKey = anchorKeyOf(await loadPublicKey(key))
  const signature = await readSignature(path, label)
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
  ends: EndOptions,
  { path, label }: LabelledFile,
  { cwd, signal }: Pick<Setting, 'cwd' | 'signal'>,
): Promise<ExportedPayload> {
  const isThere = entryAt(path) !== undefined
  const before = isThere ? await payloadAt(path) : undefined
  if (isThere && before === undefined)
    throw new RlpError('EXISTS', `Cannot write "${label}": something else is there`, {
      hint: 'Name another file for --export-payload',
    })
  const bytes = preAuthEncoding(payloadFor(agent, ends))
  await writeAtomic(path, bytes, { label, signal })
  const changed = before === undefined || Buffer.compare(before, bytes) !== 0
  return { payload: nearLabel(path, cwd), changed }
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
