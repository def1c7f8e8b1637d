// The inputs that the verbs for keys share: where keys are kept, what a new one is called, and how passphrases are given.
import { UsageError } from '../model/error.ts'
import { type Input, needed, text } from '../verb/index.ts'
import { home } from '../verb/kinds/paths.ts'

/** @interface KeysOptions */
export const KEYS = {
  /** The folder that has `keys`, in place of `$RUNLOOP_HOME` or `~/.runloop`. */
  home: { ...home },
} as const

/** Gives the passphrase of a new key, undefined for a key without one. At a terminal a person is asked for it. */
type NewPassphrase = (name: string, doing: 'generate' | 'import') => Promise<string | undefined>

const newPassphrase: Input<string | false, NewPassphrase> = {
  type: 'string | false',
  typed: {
    type: 'boolean',
    negatable: true,
    default: true,
    describe: 'leave it unencrypted: everybody who gets the file can use it',
  },
  fromTyped:
    (isEncrypted: boolean, { world: { terminal } }) =>
    async (name, doing) => {
      if (!isEncrypted) return undefined
      if (terminal === undefined) throw new TypeError('what is typed comes from a terminal')
      return (await import('./ask-key.ts')).newPassphrase(terminal.io, name, doing)
    },
  fromGiven(given) {
    if (given === false) return async () => undefined
    if (typeof given === 'string' && given !== '') return async () => given
    throw new UsageError(`Cannot make a key: its passphrase is ${given === '' ? 'empty' : typeof given}`, {
      field: 'passphrase',
      hint: 'Give a text, or false for a key that everybody can use who gets the file',
    })
  },
}

/** @interface NewKeyOptions */
export const NEW_KEY = {
  ...KEYS,
  /** Encrypts the key; `false` leaves it readable for everybody who gets the file. */
  passphrase: needed(newPassphrase),
} as const

export const newKeyName = needed(text('what to call it', { complete: 'none' }))
