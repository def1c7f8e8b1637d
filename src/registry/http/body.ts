// The body of an answer → its bytes, up to a limit.
import type { IncomingMessage } from 'node:http'
import { RlpError } from '../../model/error.ts'

/** @throws RlpError STORE for more bytes, or bytes in a form that was not asked for; what the connection throws */
export async function readSmall(
  answer: IncomingMessage,
  most: number,
  doing: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  refuseEncoded(answer, doing)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted()
      size += chunk.length
      if (size > most)
        throw new RlpError('STORE', `Cannot ${doing}: the answer is too large, more than ${most} bytes`, {
          hint: 'Check that this is a registry, and the reference',
        })
      chunks.push(chunk)
    }
  } finally {
    answer.destroy()
  }
  return Buffer.concat(chunks)
}

/** An answer that is not needed. Its connection is used again if it ends soon. */
export async function skip(answer: IncomingMessage, most = 64 * 1024): Promise<void> {
  let size = 0
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > most) return
    }
  } catch {
    // What came before the connection broke was not wanted either.
  } finally {
    if (!answer.complete) answer.destroy()
  }
}

/** The digest is one of the bytes as they are stored. */
export function refuseEncoded({ headers }: IncomingMessage, doing: string): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return
  throw new RlpError('STORE', `Cannot ${doing}: the answer is compressed, which was not asked for`, {
    hint: 'Ask who keeps the registry to send content as it is stored',
  })
}
