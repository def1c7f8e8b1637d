// The body of an answer → its bytes, up to a limit, and no longer than there is time.
import type { IncomingMessage } from 'node:http'
import type { Deadline } from '../../io/wait/deadline.ts'
import { RlpError } from '../../model/error.ts'

/** The caller destroys the answer. @throws what the connection throws, and the reason of the deadline's signal */
export async function* bytesOf(answer: IncomingMessage, deadline: Deadline): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = answer[Symbol.asyncIterator]()
  for (;;) {
    // What is done with the bytes is not the registry's time.
    const next = await deadline.waiting(() => chunks.next())
    if (next.done === true) return
    deadline.moved(next.value.length)
    yield next.value
  }
}

/** @throws RlpError STORE for more bytes, or bytes in a form that was not asked for; as {@link bytesOf} */
export async function readSmall(
  answer: IncomingMessage,
  most: number,
  doing: string,
  deadline: Deadline,
): Promise<Uint8Array> {
  refuseEncoded(answer, doing)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of bytesOf(answer, deadline)) {
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
export async function skip(answer: IncomingMessage, deadline: Deadline, most = 64 * 1024): Promise<void> {
  let size = 0
  try {
    for await (const chunk of bytesOf(answer, deadline)) {
      size += chunk.length
      if (size > most) return
    }
  } catch {
    // What came before the connection broke was not wanted either; the next request hears that the time is over.
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
