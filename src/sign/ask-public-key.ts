// What people call somebody's public key → its anchor string.

import type { Io } from '../cli/command.ts'
import { anchorString, rawPublicKey } from '../format/signature/ed25519.ts'
import { askPassphrase } from './ask-passphrase.ts'
import { loadPublicKey } from './keys.ts'

/** @throws RlpError as `loadPublicKey` */
export async function anchorOf(which: string, io: Io): Promise<string> {
  const query = { which, cwd: io.cwd, env: io.env, ask: askPassphrase(io) }
  return anchorString(rawPublicKey(await loadPublicKey(query)) ?? new Uint8Array())
}
