// Finds and lists the named keys of this user, each with its public half.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ioNow } from '../io/fail.ts'
import { homeLabel, namedPath, runloopHome } from '../io/home.ts'
import { refuseForeignWay } from '../io/owner/owner.ts'
import { Ways } from '../io/owner/ways.ts'
import { entryAt } from '../io/read/entry.ts'
import { readFile } from '../io/read/read-file.ts'
import { RlpError } from '../model/error.ts'
import { credentialIn } from '../secret/credential.ts'
import { anchorString } from '../signature/kinds/index.ts'
import { isEncrypted, isPlain } from '../signature/pem.ts'
import { anchorKeyOf, loadPublicKey } from './keys.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** The folder of named keys. @throws RlpError NO_PERMISSION if others lead the way to it */
function keysFolder(home: string = runloopHome()): string {
  const folder = join(home, 'keys')
  refuseForeignWay(folder, new Ways())
  return folder
}

/** No file of a key is larger. */
export const MOST_KEY_BYTES: number = 16 * 1024

/** @param label of the file, for messages */
export function keyTooLarge(label: string, bytes: number): RlpError {
  return new RlpError('WRONG_FILE_TYPE', `Cannot use "${label}" as a key: it has ${bytes} bytes`, {
    hint: 'Name a PEM file',
  })
}

/** Whether a text is the name of a key: without slash and dot. Any other text is a path. */
export function isKeyName(text: string): boolean {
  return NAME.test(text)
}

interface KeyFiles {
  readonly privatePath: string
  readonly publicPath: string
}

/**
 * Refuses a key in place of its name: it was visible to everybody who can list processes.
 * @throws RlpError USAGE, without the key in its message
 */
export function refuseWrittenOut(which: string): void {
  if (credentialIn(which) === undefined) return
  throw new RlpError('USAGE', 'Cannot use the key: it is written out in place of its name', {
    hint: 'Name it, its file, or env:VAR, and make a new one if others could see the command line or its log',
  })
}

/** @throws RlpError USAGE for an invalid name */
export function filesOfKey(name: string, home?: string): KeyFiles {
  refuseWrittenOut(name)
  if (isKeyName(name)) {
    const base = join(keysFolder(home), name)
    return { privatePath: `${base}.pem`, publicPath: `${base}.pub` }
  }
  throw new RlpError(
    'USAGE',
    `Cannot use "${name}" as the name of a key: it has other characters than letters, digits, _ and -`,
    { hint: 'Choose a name such as release-2026' },
  )
}

export function pathOfKey(which: string, cwd: string, home?: string): string {
  refuseWrittenOut(which)
  return isKeyName(which) ? filesOfKey(which, home).privatePath : namedPath(which, cwd)
}

export interface ListedKey {
  readonly name: string
  /** Null if its public half cannot be read. */
  readonly anchor: string | null
  /** Null if its private half cannot be read, or the file holds no private key. */
  readonly encrypted: boolean | null
  /** Why there is no anchor. */
  readonly problem: string | null
}

export interface ListedKeys {
  /** Sorted by name. */
  readonly keys: readonly ListedKey[]
}

/** A missing folder has no keys. */
export async function listKeys(home?: string): Promise<ListedKeys> {
  const folder = keysFolder(home)
  if (entryAt(folder) === undefined) return { keys: [] }
  const names = ioNow(`read the folder "${homeLabel(folder)}"`, () => readdirSync(folder))
    .flatMap(file => (file.endsWith('.pem') ? [file.slice(0, -4)] : []))
    .filter(isKeyName)
    .sort()
  const keys: ListedKey[] = []
  for (const name of names) keys.push(await keyCalled(name, home))
  return { keys }
}

async function keyCalled(name: string, home: string | undefined): Promise<ListedKey> {
  // Without a passphrase: a list asks no question, and says so of a key without its public half.
  const ask = () =>
    Promise.reject(new RlpError('NEEDS_ANSWER', 'its public half is missing, and it is encrypted'))
  let encrypted: boolean | null = null
  try {
    const text = await privateText(name, home)
    if (isEncrypted(text) || isPlain(text)) encrypted = isEncrypted(text)
    const key = await loadPublicKey({ which: name, cwd: '.', env: {}, home, ask })
    return { name, anchor: anchorString(anchorKeyOf(key)), encrypted, problem: null }
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return { name, anchor: null, encrypted, problem: error.message }
  }
}

async function privateText(name: string, home: string | undefined): Promise<string> {
  const { privatePath } = filesOfKey(name, home)
  const label = homeLabel(privatePath)
  const larger = (size: number) => {
    throw keyTooLarge(label, size)
  }
  const bytes = await readFile(privatePath, { follow: true, label, most: MOST_KEY_BYTES, larger })
  return Buffer.from(bytes).toString('latin1')
}
