// The PEM text of a key → a signer, or the public half. For every place that holds such a text.
import { createPublicKey, type KeyObject, sign as signWith } from 'node:crypto'
import { rawPublicKey } from '../../format/signature/ed25519.ts'
import { isEncrypted, readPem, readPublicPem } from '../../format/signature/pkcs8.ts'
import { RlpError } from '../../model/error.ts'
import type { Signer } from '../../model/signer.ts'
import type { KeyQuery } from './kind.ts'

export async function signerIn(pem: string, query: KeyQuery): Promise<Signer> {
  const key = await privateKeyIn(pem, query)
  const bytes = rawPublicKey(key)
  if (bytes === undefined) throw new TypeError('only Ed25519 keys are loaded')
  return {
    key: { kind: 'ed25519', bytes },
    sign: async message => new Uint8Array(signWith(null, message, key)),
  }
}

/** A public key, the public half of a private one included. */
export async function publicKeyIn(pem: string, query: KeyQuery): Promise<KeyObject> {
  const read = readPublicPem(pem)
  if (!read.ok && read.why !== 'not-a-key') throw refused(query.which, read.why)
  return read.ok ? read.key : createPublicKey(await privateKeyIn(pem, query))
}

async function privateKeyIn(pem: string, { which, env, ask }: KeyQuery): Promise<KeyObject> {
  // An empty variable is nearly always one that somebody forgot to set.
  const passphrase = isEncrypted(pem) ? env['RLP_KEY_PASSPHRASE'] || (await ask(which)) : undefined
  const read = readPem(pem, passphrase)
  if (read.ok) return read.key
  throw refused(which, read.why)
}

const REFUSALS = {
  passphrase: ['the passphrase does not open it', 'Try again, or set RLP_KEY_PASSPHRASE'],
  'several-keys': ['it holds more than one PEM block', 'Put each key into a file of its own'],
  'not-a-key': ['it holds no key in PEM', 'Make one with rlp key generate NAME'],
  'other-algorithm': ['it is not an Ed25519 key', 'Make one with rlp key generate NAME'],
} as const

function refused(which: string, why: keyof typeof REFUSALS): RlpError {
  const [state, hint] = REFUSALS[why]
  return new RlpError('WRONG_FILE_TYPE', `Cannot use the key "${which}": ${state}`, { hint })
}
