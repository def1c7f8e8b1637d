// What the library offers of keys: making, keeping, listing and showing them.
import { type CallerOptions, homeGiven, type PathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { loadPublicKey } from './keys.ts'
import { type ListedKeys, listKeys } from './named-keys.ts'
import { generateKey, keepKey, type MadeKey, type ShownKey, shownKey } from './new-key.ts'
import { keyQueryFrom } from './sign-bundle.ts'
import { signerKindOf } from './signers/index.ts'

export interface KeysOptions extends CallerOptions {
  /** The folder that has `keys`, in place of `$RUNLOOP_HOME` or `~/.runloop`. */
  readonly home?: PathGiven
}

export interface NewKeyOptions extends KeysOptions {
  /** Encrypts the key; `false` leaves it readable for everybody who gets the file. */
  readonly passphrase: string | false
}

export interface KeyImportOptions extends NewKeyOptions {
  /** Gives the passphrase of an encrypted key that is imported. Without it, `RLP_KEY_PASSPHRASE` in `env` must have it. */
  readonly oldPassphrase?: ((key: string) => string | Promise<string>) | undefined
}

export interface KeyShowOptions extends KeysOptions {
  /** As {@link KeyImportOptions.oldPassphrase}: asked only for a private key without its public half beside it. */
  readonly passphrase?: ((key: string) => string | Promise<string>) | undefined
}

/**
 * A new Ed25519 key under a name, in the folder `keys` of `home`. An existing key is never replaced.
 *
 * @example
 * const { anchor } = await keyGenerate('release', { passphrase: process.env['PASSPHRASE'] ?? false })
 * console.log(anchor)
 *
 * @throws {@link RlpError} `USAGE` for an unusable name or passphrase, `EXISTS`, `NO_PERMISSION`, `NO_SPACE`, `CANCELLED`
 */
export async function keyGeneratePath(name: string, options: NewKeyOptions): Promise<MadeKey> {
  return runVerb('keyGenerate', options, async (given, io) => {
    const passphrase = newPassphrase(given.passphrase)
    return generateKey(name, passphrase, placeOf(given, io))
  })
}

/**
 * Keeps a key that is there already under a name. What was imported stays where it is.
 *
 * @param key a PEM file, `env:VAR`, or the name of another key
 *
 * @example
 * await keyImport('ci', './ci.pem', { passphrase: false })
 *
 * @throws {@link RlpError} as {@link keyGenerate}; `WRONG_FILE_TYPE` for what is no Ed25519 key, `NOT_FOUND`, `NEEDS_ANSWER` when a passphrase is missing
 */
export async function keyImportPath(name: string, key: string, options: KeyImportOptions): Promise<MadeKey> {
  return runVerb('keyImport', options, async (given, io) => {
    const passphrase = newPassphrase(given.passphrase)
    const home = homeGiven(given, io)
    const query = { ...keyQueryFrom(key, given.oldPassphrase, io, 'oldPassphrase'), home }
    const privateKey = await (await signerKindOf(key)).privateKey(query)
    return keepKey(name, passphrase, privateKey, placeOf(given, io))
  })
}

/**
 * The named keys of a user, sorted by name. No passphrase is needed.
 *
 * @example
 * const { keys } = await keyList()
 * for (const { name, anchor, encrypted } of keys) console.log(name, anchor, encrypted)
 *
 * @throws {@link RlpError} `NO_PERMISSION`, `CANCELLED`
 */
export async function keyListPath(options: KeysOptions = {}): Promise<ListedKeys> {
  return runVerb('keyList', options, (given, io) => listKeys(homeGiven(given, io)))
}

/**
 * The public half of a key, in every form that people need.
 *
 * @param key as for {@link sign}, or an anchor string
 *
 * @example
 * const { anchor, sshFingerprint } = await keyShow('release')
 * console.log(anchor, sshFingerprint)
 *
 * @throws {@link RlpError} `NOT_FOUND`, `WRONG_FILE_TYPE`, `NEEDS_ANSWER`, `NO_PERMISSION`, `CANCELLED`
 */
export async function keyShowPath(key: string, options: KeyShowOptions = {}): Promise<ShownKey> {
  return runVerb('keyShow', options, async (given, io) => {
    const query = { ...keyQueryFrom(key, given.passphrase, io), home: homeGiven(given, io) }
    return shownKey(await loadPublicKey(query))
  })
}

function placeOf(options: KeysOptions, io: Setting) {
  return { home: homeGiven(options, io), signal: io.signal }
}

function newPassphrase(given: string | false): string | undefined {
  if (given === false) return undefined
  if (typeof given === 'string' && given !== '') return given
  throw new UsageError(`Cannot make a key: its passphrase is ${given === '' ? 'empty' : typeof given}`, {
    field: 'passphrase',
    hint: 'Give a text, or false for a key that everybody can use who gets the file',
  })
}
