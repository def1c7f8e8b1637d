// The interface of a place where private keys are: everything that is particular to one. All of them refuse a key in one grammar of
// messages.
import type { KeyObject } from 'node:crypto'
import { type ErrorCode, RlpError } from '../../model/error.ts'
import type { Signer } from '../../model/signer.ts'
import { quoted } from '../../text/printable.ts'

/** Asks for a passphrase, or says that no person can be asked. */
type AskPassphrase = (what: string) => Promise<string>

/** What a key is called, and the world in which it is called so. */
export interface KeyQuery {
  /** As the table in index.ts spells it; for a public key also an anchor string. */
  readonly which: string
  /** Where relative paths begin. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that has the named keys, in place of `$RUNLOOP_HOME` or `~/.runloop` of this process. */
  readonly home?: string | undefined
  readonly ask: AskPassphrase
  /** For the key `-`. */
  readonly stdin?: () => AsyncIterable<Uint8Array>
  /** Ends the wait for a signer that is another program. */
  readonly signal?: AbortSignal
}

export interface SignerKind {
  /**
   * The key as a signer. What it answers is not checked here: {@link signBytes} is the one place where a signer is asked.
   *
   * @throws RlpError NOT_FOUND, NO_PERMISSION when others can read the file, WRONG_FILE_TYPE when it is no key that signs, NEEDS_ANSWER,
   * SIGNER for a signer that is another program and fails
   */
  open(query: KeyQuery): Promise<Signer>
  /** The key itself, to be kept elsewhere. Refused where the key never leaves its place. */
  privateKey(query: KeyQuery): Promise<KeyObject>
  /** Its public half. */
  publicKey(query: KeyQuery): Promise<KeyObject>
}

export function keyRefused(which: string, code: ErrorCode, seen: string, hint: string): RlpError {
  return new RlpError(code, `Cannot use the key ${quoted(which, 200)}: ${seen}`, { hint })
}
