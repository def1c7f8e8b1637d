// Makes or keeps a signing key on disk, one private PEM that only its owner can read and the public half beside it, and shows a public key
// in every form that people need.
import { createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto'
import { link, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { io } from '../io/fail.ts'
import { homeLabel } from '../io/home.ts'
import { entryAt } from '../io/read/entry.ts'
import { makeParents } from '../io/write/make-parents.ts'
import {
  discard,
  leftoversIn,
  refuseIfAborted,
  setMode,
  syncFolder,
  temporaryName,
} from '../io/write/write-atomic.ts'
import { RlpError } from '../model/error.ts'
import { anchorString } from '../signature/kinds/index.ts'
import { encryptedPem, plainPem, publicPem, readPem } from '../signature/pem.ts'
import { sshFingerprint } from '../signature/ssh.ts'
import { anchorKeyOf } from './keys.ts'
import { filesOfKey } from './named-keys.ts'

export interface MadeKey {
  readonly name: string
  /** Anchor string of its public half: `ed25519:…`. */
  readonly anchor: string
  /** Of the private key, and of its public half; absolute. */
  readonly path: string
  readonly publicPath: string
  readonly encrypted: boolean
  /** Always true: an existing key is never replaced. */
  readonly changed: boolean
}

interface KeyPlace {
  /** The folder that has `keys`, in place of `$RUNLOOP_HOME` or `~/.runloop`. */
  readonly home?: string
  /** Until the halves are put in place. */
  readonly signal?: AbortSignal
}

/**
 * A new key under a name. Never overwrites: each file is put in place by a link, which fails if anything is there.
 * @param passphrase undefined leaves the key unencrypted
 * @throws RlpError USAGE, EXISTS, NO_PERMISSION, NO_SPACE
 */
export async function generateKey(
  name: string,
  passphrase: string | undefined,
  place?: KeyPlace,
): Promise<MadeKey> {
  return keepKey(name, passphrase, generateKeyPairSync('ed25519').privateKey, place)
}

/** The same for a key that is there already. */
export async function keepKey(
  name: string,
  passphrase: string | undefined,
  privateKey: KeyObject,
  { home, signal }: KeyPlace = {},
): Promise<MadeKey> {
  const { privatePath: path, publicPath } = filesOfKey(name, home)
  const folder = dirname(path)
  await makeParents(folder, 0o700)
  await removeHalves(folder)
  for (const file of [path, publicPath]) if (entryAt(file) !== undefined) throw taken(name, file)
  const publicKey = createPublicKey(privateKey)
  const text = passphrase === undefined ? plainPem(privateKey) : encryptedPem(privateKey, passphrase)
  // A key that cannot be opened again is useless; node:crypto, for example, refuses very long passphrases when it reads.
  if (!readPem(text, passphrase).ok)
    throw new RlpError('USAGE', `Cannot generate the key "${name}": the passphrase would not open it again`, {
      hint: 'Choose a passphrase of at most 1000 bytes',
    })
  const made: string[] = []
  try {
    // Both are on the disk before either gets its name, so that a full disk leaves no half.
    for (const [file, content, mode] of [
      [path, text, 0o600],
      [publicPath, publicPem(publicKey), 0o644],
    ] as const)
      made.push(await stage(file, content, mode))
    const [privateHalf = '', publicHalf = ''] = made
    if (signal !== undefined) refuseIfAborted(signal)
    // The private half last, so that no private key exists without its public one.
    await put(name, publicHalf, publicPath)
    try {
      await put(name, privateHalf, path)
    } catch (error) {
      await discard(publicPath)
      throw error
    }
  } finally {
    for (const temporary of made) await discard(temporary)
  }
  await syncFolder(folder)
  const anchor = anchorString(anchorKeyOf(publicKey))
  return { name, anchor, path, publicPath, encrypted: passphrase !== undefined, changed: true }
}

/**
 * Removes what killed runs of any name left: half a key must not stay on the disk. A public half that is already in place goes too, if it
 * is still the file of such a run and its private half is missing.
 */
async function removeHalves(folder: string): Promise<void> {
  for (const { path, target } of await leftoversIn(folder)) {
    const [, name] = /^(.*)\.pub$/.exec(target) ?? []
    const inPlace = join(folder, target)
    if (name !== undefined && isSameFile(path, inPlace)) {
      if (entryAt(join(folder, `${name}.pem`)) === undefined) await discard(inPlace)
    }
    await discard(path)
  }
}

function isSameFile(a: string, b: string): boolean {
  const [one, other] = [entryAt(a), entryAt(b)]
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

function taken(name: string, path: string): RlpError {
  return new RlpError('EXISTS', `Cannot generate the key "${name}": ${homeLabel(path)} is there`, {
    hint: 'Choose another name; a key that signed something is never replaced',
  })
}

/** A new file beside its place, synced. */
async function stage(path: string, text: string, mode: number): Promise<string> {
  const temporary = join(dirname(path), temporaryName(basename(path)))
  const doing = `write "${path}"`
  const handle = await io(doing, () => open(temporary, 'wx', mode))
  try {
    await io(doing, () => handle.writeFile(text))
    // Others have to be able to read the public half.
    await setMode(handle, mode, doing)
    await io(doing, () => handle.sync())
  } catch (error) {
    await discard(temporary)
    throw error
  } finally {
    await handle.close()
  }
  return temporary
}

/** Never replaces a file. */
async function put(name: string, temporary: string, path: string): Promise<void> {
  await io(`write "${path}"`, () =>
    link(temporary, path).catch(error => {
      throw error.code === 'EEXIST' ? taken(name, path) : error
    }),
  )
}

export interface ShownKey {
  /** As a trust policy names it: `ed25519:…`. */
  readonly anchor: string
  /** `SHA256:…`, as `ssh-keygen -l` prints it: for reading aloud. */
  readonly sshFingerprint: string
  /** SHA-256 over the 32 bytes of the key, as `sha256:` and hex: what this version still gives beside the other. */
  readonly fingerprint: string
  /** The public key, in PEM. */
  readonly pem: string
}

export function shownKey(key: KeyObject): ShownKey {
  const named = anchorKeyOf(key)
  return {
    anchor: anchorString(named),
    sshFingerprint: sshFingerprint(named),
    fingerprint: `sha256:${hash('sha256', named.bytes, 'hex')}`,
    pem: publicPem(key),
  }
}
