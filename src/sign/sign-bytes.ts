// Bytes and a signer → its signature over exactly these bytes. The one place where a signer is asked: whatever kind of signer it is, its answer
// is checked before anything is done with it.

import { RlpError } from '../model/error.ts'
import type { Signer } from '../model/signer.ts'
import { anchorString, isSignature, keyProblem } from '../signature/kinds/index.ts'

/**
 * @param doing the work, in the grammar of messages: `sign "dist/mailer-0.1.0.agent.bundle"`
 * @throws RlpError NOT_VERIFIED for a signature of another key, of other bytes, or of none; and as the signer does
 */
export async function signBytes(message: Uint8Array, signer: Signer, doing: string): Promise<Uint8Array> {
  const problem = keyProblem(signer.key)
  if (problem !== undefined)
    throw new RlpError('NOT_VERIFIED', `Cannot ${doing}: the key of the signer ${problem}`, {
      hint: 'Use another key',
    })
  // A copy: a signer that changes what it was given must not change what is checked.
  const signature: unknown = await signer.sign(new Uint8Array(message))
  if (signature instanceof Uint8Array && isSignature(signer.key, message, signature))
    return new Uint8Array(signature)
  throw new RlpError(
    'NOT_VERIFIED',
    `Cannot ${doing}: what the signer answered is no signature of ${anchorString(signer.key)} over these bytes`,
    {
      hint: 'Check that the signer uses the key that it names, and signs the bytes as they are, with Ed25519',
    },
  )
}
