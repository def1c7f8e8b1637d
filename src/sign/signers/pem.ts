// The PEM text of a key → a signer, or the public half. For every place that holds such a text.
import { createPublicKey, type KeyObject, sign as signWith } from 'node:crypto'
import { RlpError } from '../../model/error.ts'
import type { Signer } from '../../model/signer.ts'
import { rawPublicKey } from '../../signature/ed25519.ts'
import { asPem, foreignKey, MAKE_ONE, withArticle } from '../../signature/key-text.ts'
import { isEncrypted, type ReadKey, readPem, readPublicPem } from '../../signature/pem.ts'
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
export async function publicKeyIn(text: string, query: KeyQuery): Promise<KeyObject> {
  const pem = asPem(text)
  const read = readPublicPem(pem)
  if (!read.ok && read.why !== 'not-a-key') throw refused(query.which, read, pem)
  return read.ok ? read.key : createPublicKey(await privateKeyIn(pem, query))
}

/** A person who mistypes a passphrase is asked again. */
const TRIES = 3

/** The private key itself, to be kept elsewhere. */
export async function privateKeyIn(text: string, { which, env, ask }: KeyQuery): Promise<KeyObject> {
  const pem = asPem(text)
  // An empty variable is nearly always one that the user forgot to set.
  const given = env['RLP_KEY_PASSPHRASE'] || undefined
  for (let tries = 1; ; tries++) {
    const asks = isEncrypted(pem) && given === undefined
    const read = readPem(pem, asks ? await ask(tries === 1 ? which : `${which} (try again)`) : given)
    if (read.ok) return read.key
    if (read.why !== 'passphrase' || !asks || tries === TRIES) throw refused(which, read, pem)
  }
}

const REFUSALS = {
  passphrase: ['the passphrase does not open it', 'Try again, or set RLP_KEY_PASSPHRASE'],
  'several-keys': ['it holds more than one PEM block', 'Put each key into a file of its own'],
  'not-a-key': ['it holds no key in PEM', 'Make one with rlp key generate NAME'],
} as const

function refused(which: string, read: ReadKey & { readonly ok: false }, pem: string): RlpError {
  const [state, hint] = stateOf(read, pem)
  return new RlpError('WRONG_FILE_TYPE', `Cannot use the key "${which}": ${state}`, { hint })
}

function stateOf(
  read: ReadKey & { readonly ok: false },
  pem: string,
): readonly [state: string, hint: string] {
  if (read.why === 'other-algorithm')
    return [`it is ${withArticle(read.kind)} key, not an Ed25519 key`, MAKE_ONE]
  // `openssl ecparam -genkey` writes two blocks for one key.
  const isOne = read.why === 'not-a-key' || pem.includes('-----BEGIN EC PARAMETERS-----')
  const foreign = isOne ? foreignKey(pem) : undefined
  return foreign === undefined ? REFUSALS[read.why] : [`it is ${foreign.is}`, foreign.hint]
}
