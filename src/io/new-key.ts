// A name → a new signing key on disk: one private PEM that only its owner can read, and the public half beside it.
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { encryptedPem, plainPem, publicPem, readPem } from '../format/signature/pkcs8.ts'
import { RlpError } from '../model/error.ts'
import { io } from './fail.ts'
import { homeLabel } from './home.ts'
import { filesOfKey } from './key-place.ts'
import { entryAt, syncFolder } from './write-atomic.ts'

export interface NewKey {
  /** Of the private key. */
  readonly path: string
  readonly publicPath: string
  readonly publicKey: KeyObject
}

/**
 * A new key under a name. Never overwrites: each file is put in place by a link, which fails when anything is there.
 *
 * @param passphrase undefined leaves the key unencrypted
 * @throws RlpError USAGE, EXISTS, NO_PERMISSION, NO_SPACE
 */
export async function generateKey(name: string, passphrase: string | undefined): Promise<NewKey> {
  const { privatePath: path, publicPath } = filesOfKey(name)
  const folder = dirname(path)
  await io(`create the folder "${folder}"`, () => mkdir(folder, { recursive: true, mode: 0o700 }))
  for (const file of [path, publicPath]) if ((await entryAt(file)) !== undefined) throw taken(name, file)
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const text = passphrase === undefined ? plainPem(privateKey) : encryptedPem(privateKey, passphrase)
  // A key that cannot be opened again, for example because node:crypto takes no passphrase that long, is worse than none.
  if (!readPem(text, passphrase).ok) {
    throw new RlpError('USAGE', `Cannot generate the key "${name}": the passphrase would not open it again`, {
      hint: 'Choose a passphrase of at most 1000 bytes',
    })
  }
  await writeNew(name, path, text, 0o600)
  try {
    await writeNew(name, publicPath, publicPem(publicKey), 0o644)
  } catch (error) {
    // Nobody has seen it yet: without its public half it would only be in the way.
    await unlink(path)
    throw error
  }
  await syncFolder(folder)
  return { path, publicPath, publicKey }
}

function taken(name: string, path: string): RlpError {
  return new RlpError('EXISTS', `Cannot generate the key "${name}": ${homeLabel(path)} is there`, {
    hint: 'Choose another name; a key that signed something is never replaced',
  })
}

/** Whole or not at all, and never over something else. */
async function writeNew(name: string, path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}-${randomBytes(6).toString('hex')}.new`
  const doing = `write "${path}"`
  const handle = await io(doing, () => open(temporary, 'wx', mode))
  try {
    try {
      await io(doing, () => handle.writeFile(text))
      await io(doing, () => handle.sync())
    } finally {
      await handle.close()
    }
    await io(doing, () => chmod(temporary, mode))
    await io(doing, () =>
      link(temporary, path).catch(error => {
        throw error.code === 'EEXIST' ? taken(name, path) : error
      }),
    )
  } finally {
    await unlink(temporary)
  }
}
