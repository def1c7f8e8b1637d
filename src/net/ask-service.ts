// One request to a service by name → its whole answer, bounded in bytes and in time. What is sent may hold a secret: no redirect is followed,
// certificates are always checked, and plain http is spoken to this machine alone.
import { Agent, request as askPlain, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as askSecure, Agent as SecureAgent } from 'node:https'
import type { Deadline } from '../io/wait/deadline.ts'
import { addressFacts, literalOf } from '../policy/address.ts'
import { checkedLookup } from './connection.ts'

const MOST_HEADER_BYTES = 16 * 1024

export interface ServiceRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Of the body of the answer. */
  readonly mostBytes: number
  /** Ends the request, and all that is read of its answer. */
  readonly deadline: Deadline
  /** Names a proxy, where this Node uses one. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface ServiceAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Uint8Array
}

/** What an answer was, or where a name led, if it was not taken. The message is a clause. */
export class NotTaken extends Error {
  readonly why: 'answer' | 'place'

  constructor(why: NotTaken['why'], message: string) {
    super(message)
    this.why = why
  }
}

/** @throws NotTaken; the system's, the parser's or OpenSSL's error, with its `code`; the reason of the deadline's signal */
export async function askService(request: ServiceRequest): Promise<ServiceAnswer> {
  const isSecure = request.url.protocol === 'https:'
  // Node itself knows proxies from 24.5 on, and only if it is told to use those of the environment.
  const proxy = request.env['NODE_USE_ENV_PROXY'] === '1' ? { proxyEnv: request.env } : {}
  const agent = isSecure ? new SecureAgent({ keepAlive: false, ...proxy }) : new Agent()
  try {
    return await request.deadline.waiting(async () => {
      const answer = await head(request, agent)
      const bytes = await whole(answer, request)
      return { status: answer.statusCode ?? 0, headers: answer.headers, bytes }
    })
  } finally {
    agent.destroy()
  }
}

function head(
  { method, url, headers, body, deadline }: ServiceRequest,
  agent: Agent | SecureAgent,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:'
  const literal = literalOf({ host: url.hostname })
  if (!isSecure && literal !== undefined) refuseElsewhere(url, literal)
  const options = {
    method,
    agent,
    headers: {
      'accept-encoding': 'identity',
      'user-agent': 'rlp',
      ...headers,
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    },
    insecureHTTPParser: false,
    maxHeaderSize: MOST_HEADER_BYTES,
    signal: deadline.signal,
    ...(!isSecure && { lookup: checkedLookup(address => refuseElsewhere(url, address)) }),
  }
  return new Promise((resolve, reject) => {
    const sent = isSecure
      ? askSecure(url, { ...options, rejectUnauthorized: true, minVersion: 'TLSv1.2' })
      : askPlain(url, options)
    sent.once('response', resolve)
    // Kept after the head has arrived: the reader of the body gets later errors.
    sent.on('error', reject)
    sent.end(body)
  })
}

async function whole(answer: IncomingMessage, { mostBytes, deadline }: ServiceRequest): Promise<Uint8Array> {
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  try {
    if (encoding !== 'identity')
      throw new NotTaken('answer', 'its answer is compressed, which was not asked for')
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      size += chunk.length
      deadline.moved(chunk.length)
      if (size > mostBytes) throw new NotTaken('answer', `its answer has more than ${mostBytes} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } finally {
    answer.destroy()
  }
}

function refuseElsewhere(url: URL, address: string): void {
  const { is, isHere } = addressFacts(address)
  if (!isHere)
    throw new NotTaken(
      'place',
      `${url.hostname} leads to ${address}, ${is}; plain http is spoken to this machine alone`,
    )
}
