// The body of a request, whatever its head says of it → its bytes.
import type { IncomingMessage } from 'node:http'

/** @returns undefined if the asker went away */
export function readRequestBody(
  request: IncomingMessage,
  most: number,
): Promise<Uint8Array | 'too large' | undefined> {
  return new Promise(resolve => {
    const chunks: Uint8Array[] = []
    let size = 0
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= most) chunks.push(chunk)
      else {
        request.pause()
        resolve('too large')
      }
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('close', () => resolve(undefined))
    request.once('error', () => resolve(undefined))
  })
}
