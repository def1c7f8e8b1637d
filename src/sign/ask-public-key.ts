// A public key as the user of a command names it → its anchor string.
import type { Io } from '../cli/command.ts'
import { keyQuery } from './ask-passphrase.ts'
import { type AnchorOf, anchorCalled } from './keys.ts'

/** Asks for the passphrase of a private key that is named, if it has one. */
export function anchorsBy(io: Io): AnchorOf {
  return which => anchorCalled(keyQuery(which, io))
}
