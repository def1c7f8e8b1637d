// The folder of named keys → each key by name, with its public half.
import { readdirSync } from 'node:fs'
import { ioNow } from '../io/fail.ts'
import { homeLabel } from '../io/home.ts'
import { entryAt } from '../io/read/entry.ts'
import { readFile } from '../io/read/read-file.ts'
import { RlpError } from '../model/error.ts'
import { anchorString } from '../signature/kinds/index.ts'
import { isEncrypted, isPlain } from '../signature/pem.ts'
import { filesOfKey, isKeyName, keysFolder, keyTooLarge, MOST_KEY_BYTES } from './key-place.ts'
import { anchorKeyOf, loadPublicKey } from './keys.ts'

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
