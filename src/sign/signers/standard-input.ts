// A key on standard input, called `-`.
import { RlpError } from '../../model/error.ts'
import { MOST_KEY_BYTES } from '../named-keys.ts'
import type { KeyQuery, SignerKind } from './kind.ts'
import { privateKeyIn, publicKeyIn, signerIn } from './pem.ts'

export const standardInput: SignerKind = {
  open: async query => signerIn(await textOf(query), named(query)),
  privateKey: async query => privateKeyIn(await textOf(query), named(query)),
  publicKey: async query => publicKeyIn(await textOf(query), named(query)),
}

/** In messages and questions. */
function named(query: KeyQuery): KeyQuery {
  return { ...query, which: 'standard input' }
}

async function textOf({ stdin }: KeyQuery): Promise<string> {
  if (stdin === undefined) throw refused('this call reads none')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stdin()) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MOST_KEY_BYTES)
      throw refused(`it has more than ${MOST_KEY_BYTES / 1024} KiB, and no key is as long`)
  }
  if (size === 0) throw refused('it is empty')
  return Buffer.concat(chunks).toString('latin1')
}

function refused(seen: string): RlpError {
  return new RlpError('WRONG_FILE_TYPE', `Cannot use the key on standard input: ${seen}`, {
    hint: 'Send one key in PEM, or name a key, its file, or env:VAR',
  })
}
