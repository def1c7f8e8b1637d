// Uploads and downloads blobs. A large one is sent in pieces; after a broken connection the registry is asked what it has. A broken
// download continues where it stopped.

import type { IncomingMessage } from 'node:http'
import { RlpError } from '../../model/error.ts'
import type { Descriptor } from '../../model/oci.ts'
import type { OpenFrom } from '../store.ts'
import { type Client, refusedAnswer } from './client.ts'
import { isBroken, refusedStatus } from './failure.ts'
import { bytesOf, refuseEncoded } from './wire.ts'

const MOST_TRIES = 3
const PIECE_BYTES = 64 * 1024 * 1024
/** What a registry may ask a piece to have at least. */
const MOST_PIECE_BYTES = 8 * PIECE_BYTES

interface Upload {
  location: URL
  /** Bytes that the registry has. */
  at: number
  piece: number
}

/**
 * @returns whether bytes were sent: not if the registry took the blob from the repository that is copied from
 * @throws RlpError as {@link Client.ask}
 */
export async function uploaded(
  client: Client,
  blob: Descriptor,
  open: OpenFrom,
  pieceBytes: number = PIECE_BYTES,
): Promise<boolean> {
  const doing = `send ${blob.digest} to ${client.host}`
  let upload: Upload | undefined
  for (let tries = 1; ; tries++) {
    try {
      upload ??= await uploadBegun(client, blob, doing, pieceBytes)
      if (upload === undefined) return false
      while (upload.at < blob.size && blob.size > upload.piece)
        await sendPiece(client, blob, upload, open, doing)
      await finish(client, blob, upload, open, doing)
      return true
    } catch (error) {
      if (!isBroken(error) || tries >= MOST_TRIES) throw error
      await client.pause(0.2 * 4 ** (tries - 1), doing)
      upload = upload && (await asked(client, upload, doing))
    }
  }
}

/** Undefined where the registry takes it from the other repository. One that does not begins an upload, as without the question. */
async function uploadBegun(
  client: Client,
  { digest }: Descriptor,
  doing: string,
  pieceBytes: number,
): Promise<Upload | undefined> {
  const from = client.copiesFrom
  const question = from === undefined ? '' : `?${new URLSearchParams({ mount: digest, from })}`
  const { answer, url } = await client.ask({ method: 'POST', to: `blobs/uploads/${question}`, doing })
  if (answer.statusCode === 201 && from !== undefined) {
    await client.skip(answer)
    return undefined
  }
  if (answer.statusCode !== 202) throw await refusedAnswer(client, answer, doing)
  await client.skip(answer)
  const least = Number(answer.headers['oci-chunk-min-length'] ?? 0)
  const piece = Math.min(MOST_PIECE_BYTES, Math.max(pieceBytes, Number.isSafeInteger(least) ? least : 0))
  return { location: client.placed(answer.headers.location, url, doing), at: 0, piece }
}

async function sendPiece(
  client: Client,
  blob: Descriptor,
  upload: Upload,
  open: OpenFrom,
  doing: string,
): Promise<void> {
  const from = upload.at
  const size = Math.min(upload.piece, blob.size - from)
  const { answer, url } = await client.ask({
    method: 'PATCH',
    to: upload.location,
    headers: { 'content-type': 'application/octet-stream', 'content-range': `${from}-${from + size - 1}` },
    body: { size, open: () => first(open(from), size) },
    doing,
    tries: 1,
  })
  if (answer.statusCode === 416) {
    await client.skip(answer)
    // It has other bytes than it said: it is asked, as after a broken connection.
    throw brokenUpload(doing)
  }
  if (answer.statusCode !== 202) throw await refusedAnswer(client, answer, doing)
  await client.skip(answer)
  upload.location = client.placed(answer.headers.location, url, doing)
  const has = storedIn(answer.headers['range'])
  if (has === undefined) upload.at = from + size
  // Some registries accept a piece, and store less of it or nothing: what counts is what they say they have.
  else if (has > from && has <= from + size) upload.at = has
  else throw brokenUpload(doing)
}

/** The last request names the digest; a small blob comes with it. */
async function finish(
  client: Client,
  blob: Descriptor,
  upload: Upload,
  open: OpenFrom,
  doing: string,
): Promise<void> {
  const { location, at } = upload
  const size = blob.size - at
  // The query that came has to stay as it is, to the letter.
  const to = new URL(
    `${location.href}${location.search === '' ? '?' : '&'}digest=${encodeURIComponent(blob.digest)}`,
  )
  const { answer } = await client.ask({
    method: 'PUT',
    to,
    headers: { 'content-type': 'application/octet-stream' },
    body: { size, open: () => open(at) },
    doing,
    tries: 1,
  })
  if (answer.statusCode !== 201 && answer.statusCode !== 204) throw await refusedAnswer(client, answer, doing)
  await client.skip(answer)
}

/** What the registry has of an upload; undefined if it knows nothing of it any more, and it begins anew. */
async function asked(client: Client, upload: Upload, doing: string): Promise<Upload | undefined> {
  const { answer, url } = await client.ask({ method: 'GET', to: upload.location, doing })
  await client.skip(answer)
  if (answer.statusCode !== 204) return undefined
  const at = storedIn(answer.headers['range']) ?? 0
  const location = answer.headers.location
  return {
    ...upload,
    at,
    location: location === undefined ? upload.location : client.placed(location, url, doing),
  }
}

/** `0-999` is a thousand bytes. `0-0` is what an empty upload says too: one byte is sent again then. */
function storedIn(range: string | undefined): number | undefined {
  const last = /^(?:bytes=)?0-([0-9]{1,15})$/.exec(range ?? '')?.[1]
  return last === undefined ? undefined : last === '0' ? 0 : Number(last) + 1
}

async function* first(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let left = size
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
}

function brokenUpload(doing: string): RlpError {
  const cause = Object.assign(new Error('the registry has other bytes than were sent'), {
    code: 'ECONNRESET',
  })
  return new RlpError('UNREACHABLE', `Cannot ${doing}: the registry does not keep what it is sent`, {
    cause,
    hint: 'Ask who keeps the registry',
  })
}

/** After so many bytes, a connection that breaks is another mishap and not the same one again. */
const PROGRESS_BYTES = 1024 * 1024

/** The bytes are not held against their digest here. @throws RlpError as {@link Client.ask} */
export async function* downloaded(client: Client, { digest, size }: Descriptor): AsyncGenerator<Uint8Array> {
  const doing = `read ${digest} from ${client.host}`
  let at = 0
  let tries = 0
  let mark = 0
  do {
    const answer = await downloadBegun(client, digest, { at, size, doing })
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

async function downloadBegun(
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
