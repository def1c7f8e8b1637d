// Signing keys on disk: one private PEM that only its owner can read, and the public half beside it.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign as signWith } from 'node:crypto'
import { chmod, link, mkdir, open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { rawPublicKey } from '../format/ed25519.ts'
import { encryptedPem, isEncrypted, plainPem, readPem } from '../format/pkcs8.ts'
import { RlpError } from '../model/error.ts'
import type { Signer } from '../model/signer.ts'
import { io } from './fail.ts'
import { expandHome, runloopHome } from './home.ts'
import { openFile, readWhole } from './read-file.ts'
import { entryAt, syncFolder } from './write-atomic.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
/** No key file is larger. */
const MAX_PEM_BYTES = 16 * 1024

/** Where keys live that are called by name. */
export function keysFolder(): string {
  return join(runloopHome(), 'keys')
}

export interface NewKey {
  /** Of the private key. */
  readonly path: string
  readonly publicPath: string
  readonly publicKey: KeyObject
}

/**
 * A new key under a name. Never overwrites: the private file is put in place by a link, which fails when anything is there.
 *
 * @param passphrase undefined leaves the key unencrypted
 * @throws RlpError USAGE, EXISTS, NO_PERMISSION, NO_SPACE
 */
export async function generateKey(name: string, passphrase: string | undefined): Promise<NewKey> {
  const path = namedPath(name)
  const folder = dirname(path)
  await io(`create the folder "${folder}"`, () => mkdir(folder, { recursive: true, mode: 0o700 }))
  await refuseExisting(name, path)
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const text = passphrase === undefined ? plainPem(privateKey) : encryptedPem(privateKey, passphrase)
  const publicPath = join(folder, `${name}.pub`)
  await writeNew(name, path, text, 0o600)
  await writeNew(name, publicPath, publicPem(publicKey), 0o644)
  await syncFolder(folder)
  return { path, publicPath, publicKey }
}

async function refuseExisting(name: string, path: string): Promise<void> {
  if ((await entryAt(path)) === undefined) return
  throw new RlpError('EXISTS', `Cannot generate the key "${name}": ${path} is there`, {
    hint: 'Choose another name; a key that signed something is never replaced',
  })
}

/** Whole or not at all, and never over something else. */
async function writeNew(name: string, path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}.new`
  const doing = `write "${path}"`
  const handle = await io(doing, () => open(temporary, 'wx', mode))
  try {
    try {
      await io(doing, () => handle.writeFile(text))
      await io(doing, () => handle.sync())
    } finally {
      await handle.close()
    }
    await chmod(temporary, mode)
    await link(temporary, path).catch(error => {
      if (error.code !== 'EEXIST') throw error
      throw new RlpError('EXISTS', `Cannot generate the key "${name}": ${path} is there`, {
        hint: 'Choose another name',
      })
    })
  } finally {
    await unlink(temporary)
  }
}

/** Asks for a passphrase, or says that nobody can be asked. */
export type AskPassphrase = (what: string) => Promise<string>

/**
 * A private key by name, file or `env:VAR`.
 *
 * @throws RlpError NOT_FOUND, NO_PERMISSION when others can read the file, WRONG_FILE_TYPE when it is no Ed25519 key, NEEDS_ANSWER
 */
export async function loadPrivateKey(
  which: string,
  env: Readonly<Record<string, string | undefined>>,
  ask: AskPassphrase,
): Promise<KeyObject> {
  const text = which.startsWith('env:')
    ? fromEnvironment(which.slice(4), env)
    : await fromFile(pathOf(which), 'private')
  const passphrase = isEncrypted(text) ? (env['RLP_KEY_PASSPHRASE'] ?? (await ask(which))) : undefined
  const read = readPem(text, passphrase)
  if (read.ok) return read.key
  const state = {
    passphrase: 'the passphrase does not open it',
    'not-a-key': 'it holds no private key in PKCS#8 PEM',
    'other-algorithm': 'it is not an Ed25519 key',
  }[read.why]
  throw new RlpError('WRONG_FILE_TYPE', `Cannot use the key "${which}": ${state}`, {
    hint:
      read.why === 'passphrase'
        ? 'Try again, or set RLP_KEY_PASSPHRASE'
        : 'Make one with rlp key generate NAME',
  })
}

/** A public key by name or file: the public half beside a named key, SPKI PEM, or a private key. */
export async function loadPublicKey(
  which: string,
  env: Readonly<Record<string, string | undefined>>,
  ask: AskPassphrase,
): Promise<KeyObject> {
  const beside = isName(which) ? join(keysFolder(), `${which}.pub`) : undefined
  const path =
    beside !== undefined && (await entryAt(beside))
      ? beside
      : which.startsWith('env:')
        ? undefined
        : pathOf(which)
  const text = path === undefined ? '' : await fromFile(path, 'public')
  if (!text.includes('-----BEGIN PUBLIC KEY-----'))
    return createPublicKey(await loadPrivateKey(which, env, ask))
  const refused = new RlpError('WRONG_FILE_TYPE', `Cannot use the key "${which}": it is not an Ed25519 key`)
  let key: KeyObject
  try {
    key = createPublicKey(text)
  } catch {
    // node:crypto’s only word for PEM that holds no key.
    throw refused
  }
  if (key.asymmetricKeyType !== 'ed25519') throw refused
  return key
}

/** A key in memory as a signer. */
export function signerOf(key: KeyObject): Signer {
  const publicKey = rawPublicKey(key)
  if (publicKey === undefined) throw new TypeError('only Ed25519 keys are loaded')
  return { publicKey, sign: message => new Uint8Array(signWith(null, message, key)) }
}

export function publicPem(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'spki' }).toString()
}

function isName(which: string): boolean {
  return NAME.test(which)
}

function namedPath(name: string): string {
  if (isName(name)) return join(keysFolder(), `${name}.pem`)
  throw new RlpError(
    'USAGE',
    `Cannot use "${name}" as the name of a key: it has other characters than letters, digits, _ and -`,
    {
      hint: 'Choose a name such as release-2026',
    },
  )
}

/** A name has no slash and no dot; anything else is a path. */
function pathOf(which: string): string {
  return isName(which) ? namedPath(which) : expandHome(which)
}

function fromEnvironment(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const text = env[name]
  if (text) return text
  throw new RlpError('NOT_FOUND', `Cannot use the key "env:${name}": the variable is not set`, {
    hint: 'Put the PEM text of the key into it',
  })
}

async function fromFile(path: string, half: 'private' | 'public'): Promise<string> {
  const file = await openFile(path, { follow: true })
  try {
    const { mode } = await file.handle.stat()
    if (file.size > MAX_PEM_BYTES) {
      throw new RlpError('WRONG_FILE_TYPE', `Cannot use "${path}" as a key: it has ${file.size} bytes`)
    }
    const text = Buffer.from(await readWhole(file, path)).toString('latin1')
    const isOpen = process.getuid !== undefined && (mode & 0o077) !== 0
    if (isOpen && (half === 'private' || text.includes('PRIVATE KEY'))) {
      throw new RlpError('NO_PERMISSION', `Cannot use "${path}" as a key: others can read it`, {
        hint: `Run chmod 600 ${path}, and think about who may have read it`,
      })
    }
    return text
  } finally {
    await file.handle.close()
  }
}
