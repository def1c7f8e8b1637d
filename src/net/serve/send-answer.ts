// An answer → its bytes, no faster than they are read.

import { once } from 'node:events'
import { anySignal } from '../../io/wait/abort.ts'
import { SERVICE_LIMITS } from '../../model/limits.ts'
import type { AskResponse } from './bounded-server.ts'

export interface ServedAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | AsyncIterable<Uint8Array>
}

const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

export function jsonAnswer(status: number, body: string): ServedAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body }
}

export async function sendAnswer(response: AskResponse, { status, headers, body }: ServedAnswer) {
  const isText = typeof body === 'string'
  const length = isText ? { 'content-length': Buffer.byteLength(body) } : {}
  response.writeHead(status, { ...ALWAYS, ...headers, ...length })
  for await (const chunk of isText ? [body] : body) {
    if (response.destroyed) return
    // A client that asks and does not read would fill the memory with its answers. An answer that is ended before it is read is lost when the
    // server closes: Node takes its connection for idle.
    if (!response.write(chunk) && !(await isRead(response))) return void response.destroy()
  }
  response.end()
}

async function isRead(response: AskResponse): Promise<boolean> {
  const signal = anySignal(AbortSignal.timeout(SERVICE_LIMITS.requestMs), closing(response))
  return once(response, 'drain', { signal }).then(
    () => true,
    () => {
      // It was closed, or its client took too long.
      return false
    },
  )
}

/** Aborts when who asked is gone. */
export function closing(response: AskResponse): AbortSignal {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  return closed.signal
}
