// What people call a key → the key: by name, by file, from the environment, or as an anchor string.
import { createPublicKey, type KeyObject, sign as signWith } from 'node:crypto'
import { keyProblem, publicKey, rawPublicKey, readAnchor } from '../format/signature/ed25519.ts'
import { isEncrypted, readPem, readPublicPem } from '../format/signature/pkcs8.ts'
import { ioNow } from '../io/fail.ts'
import { nearLabel } from '../io/home.ts'
import { openFile, readWhole } from '../io/read-file.ts'
import { RlpError } from '../model/error.ts'
import { own } from '../model/own.ts'
import type { Signer } from '../model/signer.ts'
import { readOwn } from '../trust/read-trust.ts'
import { filesOfKey, isKeyName, pathOfKey, refuseWrittenOut } from './key-place.ts'

/** No key file is larger. */
const MAX_PEM_BYTES = 16 * 1024

/** Asks for a passphrase, or says that nobody can be asked. */
export type AskPassphrase = (what: string) => Promise<string>

/** What a key is called, and the world in which it is called so. */
export interface KeyQuery {
  /** A name, a PEM file or `env:VAR`; for a public key also an anchor string. */
  readonly which: string
  /** Where relative paths begin. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly ask: AskPassphrase
}

/**
 * A private key.
 *
 * @throws RlpError NOT_FOUND, NO_PERMISSION when others can read the file, WRONG_FILE_TYPE when it is no Ed25519 key, NEEDS_ANSWER
 */
export async function loadPrivateKey(query: KeyQuery): Promise<KeyObject> {
  return privateKeyIn(await textOf(query, 'private'), query)
}

/** A public key, the public half of a private one included. */
export async function loadPublicKey(query: KeyQuery): Promise<KeyObject> {
  const { which } = query
  if (which.startsWith('ed25519:')) {
    const anchor = readAnchor(which)
    if ('key' in anchor) return publicKey(anchor.key)
    throw new RlpError('USAGE', `Cannot use the key "${which}": it ${anchor.problem}`)
  }
  const text = (await publicHalf(which)) ?? (await textOf(query, 'public'))
  const read = readPublicPem(text)
  if (!read.ok && read.why !== 'not-a-key') throw refused(which, read.why)
  const key = read.ok ? read.key : createPublicKey(await privateKeyIn(text, query))
  const problem = keyProblem(rawPublicKey(key) ?? new Uint8Array())
  if (problem === undefined) return key
  throw new RlpError('WRONG_FILE_TYPE', `Cannot use the key "${which}": the key ${problem}`)
}

/** A key in memory as a signer. */
export function signerOf(key: KeyObject): Signer {
  const publicKey = rawPublicKey(key)
  if (publicKey === undefined) throw new TypeError('only Ed25519 keys are loaded')
  return { publicKey, sign: message => new Uint8Array(signWith(null, message, key)) }
}

async function privateKeyIn(text: string, { which, env, ask }: KeyQuery): Promise<KeyObject> {
  // An empty variable is nearly always one that somebody forgot to set.
  const passphrase = isEncrypted(text) ? env['RLP_KEY_PASSPHRASE'] || (await ask(which)) : undefined
  const read = readPem(text, passphrase)
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

async function textOf({ which, cwd, env }: KeyQuery, half: 'private' | 'public'): Promise<string> {
  if (!which.startsWith('env:')) return fromFile(pathOfKey(which, cwd), cwd, half)
  refuseWrittenOut(which)
  const text = own(env, which.slice(4))
  if (text) return text
  throw new RlpError('NOT_FOUND', `Cannot use the key "${which}": the variable is not set`, {
    hint: 'Put the PEM text of the key into it',
  })
}

/** The public file beside a named key. Whoever may write it decides whom its owner tells others to trust, so nobody else may. */
async function publicHalf(which: string): Promise<string | undefined> {
  const bytes = isKeyName(which) ? await readOwn(filesOfKey(which).publicPath, MAX_PEM_BYTES) : undefined
  return bytes && Buffer.from(bytes).toString('latin1')
}

async function fromFile(path: string, cwd: string, half: 'private' | 'public'): Promise<string> {
  const label = nearLabel(path, cwd)
  const file = await openFile(path, { follow: true, label })
  try {
    const { mode } = ioNow(`look at "${label}"`, () => file.handle.stat())
    if (file.size > MAX_PEM_BYTES) {
      throw new RlpError('WRONG_FILE_TYPE', `Cannot use "${label}" as a key: it has ${file.size} bytes`, {
        hint: 'Name a PEM file',
      })
    }
    const text = Buffer.from(await readWhole(file, label)).toString('latin1')
    const isOpen = process.getuid !== undefined && (mode & 0o077) !== 0
    if (isOpen && (half === 'private' || text.includes('PRIVATE KEY'))) {
      throw new RlpError('NO_PERMISSION', `Cannot use "${label}" as a key: others can read it`, {
        hint: `Run chmod 600 ${label}, and think about who may have read it`,
      })
    }
    return text
  } finally {
    file.handle.close()
  }
}
