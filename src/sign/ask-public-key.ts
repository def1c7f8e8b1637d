// A public key as the user names it → its anchor string.
import type { Io } from '../cli/command.ts'
import { anchorString } from '../format/signature/kinds/index.ts'
import { keyQuery } from './ask-passphrase.ts'
import { anchorKeyOf, loadPublicKey } from './keys.ts'

/** @throws RlpError as `loadPublicKey` */
export async function anchorOf(which: string, io: Io): Promise<string> {
  return anchorString(anchorKeyOf(await loadPublicKey(keyQuery(which, io))))
}
