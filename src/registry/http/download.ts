// A blob → its bytes as they come. A connection that breaks goes on where it was.
import type { IncomingMessage } from 'node:http'
import { RlpError } from '../../model/error.ts'
import type { Descriptor } from '../../model/oci.ts'
import { bytesOf, refuseEncoded } from './body.ts'
import type { Client } from './client.ts'
import { isBroken, refusedStatus } from './words.ts'

const MOST_TRIES = 3
/** After so many bytes, a connection that breaks is another mishap and not the same one again. */
const PROGRESS_BYTES = 1024 * 1024

/** The bytes are not held against their digest here. @throws RlpError as {@link Client.ask} */
export async function* downloaded(client: Client, { digest, size }: Descriptor): AsyncGenerator<Uint8Array> {
  const doing = `read ${digest} from ${client.host}`
  let at = 0
  let tries = 0
  let mark = 0
  do {
    const answer = await begun(client, digest, { at, size, doing })
    let jump = answer.statusCode === 200 ? at : 0
    try {
      for await (const chunk of bytesOf(answer, client.deadline)) {
        const skipped = Math.min(jump, chunk.length)
        jump -= skipped
        const wanted = chunk.subarray(skipped)
        at += wanted.length
        yield wanted
      }
      if (answer.complete) return
      throw Object.assign(new Error('the answer ended early'), { code: 'ECONNRESET' })
    } catch (error) {
      if (at - mark >= PROGRESS_BYTES) tries = 0
      mark = at
      if (!isBroken(error) || ++tries >= MOST_TRIES) throw client.failure(doing, error)
      await client.pause(0.2 * 4 ** (tries - 1), doing)
    } finally {
      answer.destroy()
    }
  } while (at < size)
}

async function begun(
  client: Client,
  digest: string,
  { at, size, doing }: { at: number; size: number; doing: string },
): Promise<IncomingMessage> {
  const headers = at > 0 ? { range: `bytes=${at}-` } : {}
  const { answer } = await client.ask({ method: 'GET', to: `blobs/${digest}`, headers, doing })
  const { statusCode: status = 0 } = answer
  const isWhole = status === 200
  const isRest =
    at > 0 && status === 206 && answer.headers['content-range'] === `bytes ${at}-${size - 1}/${size}`
  if (!isWhole && !isRest) {
    await client.skip(answer)
    throw refusedStatus(doing, client.host, status)
  }
  refuseEncoded(answer, doing)
  return answer
}

/** Exactly these bytes, or nothing: a server that answers anything else is not asked again. */
export async function ranged(
  client: Client,
  { digest, size }: Descriptor,
  first: number,
  length: number,
): Promise<Uint8Array> {
  const doing = `read a part of ${digest} from ${client.host}`
  const last = first + length - 1
  const headers = { range: `bytes=${first}-${last}` }
  const { answer } = await client.ask({ method: 'GET', to: `blobs/${digest}`, headers, doing })
  const { statusCode: status = 0 } = answer
  if (status !== 206 || answer.headers['content-range'] !== `bytes ${first}-${last}/${size}`) {
    // Not the whole blob by the way: it may be a gigabyte.
    answer.destroy()
    if (status >= 400) throw refusedStatus(doing, client.host, status)
    throw new RlpError(
      'STORE',
      `Cannot ${doing}: the registry answers with something else than the part that was asked for`,
      { hint: 'rlp agent verify and rlp agent pull read the whole bundle' },
    )
  }
  refuseEncoded(answer, doing)
  const bytes = await client.small(answer, length, doing)
  if (bytes.length === length) return bytes
  throw new RlpError('STORE', `Cannot ${doing}: ${bytes.length} of ${length} bytes came`, {
    hint: 'Try again later',
  })
}
