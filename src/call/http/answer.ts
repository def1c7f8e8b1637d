// Reads what came back for a request: the text of an answer, or a failure for a connection or a status that broke it
// (docs/running-http.md). Messages of the system differ between hosts and versions, so they are not used.
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type Kept, keepOutput } from '../../io/read/bounded.ts'
import { own } from '../../model/own.ts'
import type { RunRefusal, RunRequest } from '../../model/run.ts'
import { NOT_PERMITTED, notPermitted } from '../../model/system-error.ts'
import { isBrokenConnection } from '../../net/connection.ts'
import { SecretMask, SHORTEST_SECRET } from '../../secret/secret-mask.ts'
import { quoteText, shortText, withoutUnseen } from '../../text/quote.ts'

/** What a run has seen so far, also if it fails. */
export interface SeenBytes {
  started: boolean
  exit: number
  outputBytes: number
  truncated: boolean
  readonly notices: string[]
}

/** Bytes of an error's body that are read. */
const ERROR_BYTES = 8192

/**
 * @param signal of the whole run
 * @throws the connection's or the decoder's error, with its `code`
 */
export async function readAnswer(
  response: IncomingMessage,
  request: RunRequest,
  seen: SeenBytes,
  signal: AbortSignal,
): Promise<string | RunRefusal> {
  const { statusCode: status = 0, headers } = response
  if (status < 200 || status > 299) {
    const piece = shownText(await readPiece(response, seen, signal), request)
    return statusFailure(status, piece, headers['retry-after'])
  }
  const content = plainBody(response)
  if (content === undefined) {
    const encoding = quoteText(shownText(headers['content-encoding'] ?? '', request))
    const message = `The server answered in the content encoding ${encoding}, which was not asked for`
    return { kind: 'execution_error', message, retryable: false, extra: { status } }
  }
  const body = await readBody(content, request.limits.outputBytes)
  note(body, request.limits.outputBytes, seen)
  return !body.isCut && body.text.trim() === '' ? 'null' : body.text
}

function note({ bytes, isCut, isText, isStopped }: Body, most: number, seen: SeenBytes): void {
  seen.outputBytes = bytes
  seen.truncated = isCut
  if (isCut) {
    const all = isStopped ? `more than ${bytes}` : `${bytes}`
    seen.notices.push(`The answer was cut: the first ${most} of ${all} bytes were kept`)
  }
  if (!isText) seen.notices.push('The answer is not UTF-8: what cannot be read was replaced')
}

/** A short message from an error's body; HTML pages are too long for one. */
async function readPiece(response: IncomingMessage, seen: SeenBytes, signal: AbortSignal): Promise<string> {
  const content = plainBody(response)
  if (content === undefined || /html/i.test(response.headers['content-type'] ?? '')) return ''
  try {
    const { text, bytes, isText } = await readBody(content, ERROR_BYTES)
    seen.outputBytes = bytes
    return isText ? text : ''
  } catch (error) {
    // The status is enough, unless the whole run is over.
    if (signal.aborted || connectionFailure(error, '', true) === undefined) throw error
    return ''
  }
}

/**
 * The content of an answer → its first bytes and their total. Some servers compress without being asked: such content is expanded as it
 * arrives, and the expanded bytes are counted.
 */
interface Body extends Kept {
  /** The rest was not read. */
  readonly isStopped: boolean
}

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** Reads this many times the kept bytes, to report the total; then the connection is closed. */
const READ_FACTOR = 4

/** Undefined if the content encoding is unknown. */
function plainBody(response: IncomingMessage): Readable | undefined {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return response
  const decoder = DECODERS.get(encoding)?.()
  // The reader of the decoder gets the errors of both.
  return decoder && pipeline(response, decoder, () => {})
}

/**
 * @param most bytes that are kept
 * @throws the connection's or the decoder's error, with its `code`
 */
export async function readBody(content: Readable, most: number): Promise<Body> {
  const kept = keepOutput(content, most)
  let bytes = 0
  let isStopped = false
  content.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes < most * READ_FACTOR) return
    isStopped = true
    // This closes the connection too.
    content.destroy()
  })
  try {
    await finished(content)
  } catch (error) {
    // After our own destroy, a premature end is expected.
    if (!isStopped) throw error
  }
  return { ...kept(), isStopped }
}

type Words = readonly [kind: RunRefusal['kind'], retryable: boolean, why: string]

const STRANGER: Words = [
  'unavailable',
  false,
  'its certificate comes from an authority that is not trusted here',
]

const CONNECTION_MEANINGS: Readonly<Record<string, Words>> = {
  ENOTFOUND: ['unavailable', false, 'there is no such name'],
  ENODATA: ['unavailable', false, 'the name has no address'],
  EAI_AGAIN: ['unavailable', true, 'the name could not be looked up'],
  ECONNREFUSED: ['unavailable', true, 'nothing listens there'],
  EHOSTUNREACH: ['unavailable', true, 'there is no way to it'],
  ENETUNREACH: ['unavailable', true, 'there is no way to its network'],
  EADDRNOTAVAIL: ['unavailable', true, 'there is no way to its network'],
  EACCES: ['unavailable', false, 'this host does not let it through'],
  EPERM: ['unavailable', false, 'this host does not let it through'],
  [NOT_PERMITTED]: ['unavailable', false, notPermitted('--allow-net')],
  EMFILE: ['unavailable', true, 'too many files and connections are open'],
  ENFILE: ['unavailable', true, 'too many files and connections are open'],
  EINVAL: ['unavailable', false, 'the address cannot be connected to'],
  ETIMEDOUT: ['unavailable', true, 'it does not answer'],
  ECONNRESET: ['unavailable', true, 'the connection was closed'],
  ECONNABORTED: ['unavailable', true, 'the connection was closed'],
  EPIPE: ['unavailable', true, 'the connection was closed'],
  CERT_HAS_EXPIRED: ['unavailable', false, 'its certificate has expired'],
  CERT_NOT_YET_VALID: ['unavailable', false, 'its certificate is not valid yet'],
  CERT_REVOKED: ['unavailable', false, 'its certificate is revoked'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['unavailable', false, 'its certificate is signed by itself'],
  SELF_SIGNED_CERT_IN_CHAIN: STRANGER,
  UNABLE_TO_GET_ISSUER_CERT: STRANGER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: STRANGER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: STRANGER,
  ERR_TLS_CERT_ALTNAME_INVALID: ['unavailable', false, 'its certificate is for another name'],
  EPROTO: ['unavailable', false, 'no encrypted connection came about'],
}

/** Errors of the HTTP parser and the decoders, once a connection is open. */
const BROKEN: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the headers of its answer are too large',
  HPE_UPGRADE: 'it wants to speak another protocol',
  Z_DATA_ERROR: 'its answer cannot be expanded',
  Z_BUF_ERROR: 'its compressed answer is not whole',
  Z_NEED_DICT: 'its answer cannot be expanded',
}

/**
 * @param where host and port, for people
 * @param isSent the request was on its way: it is unknown whether the server acted on it
 * @returns undefined if it is not a connection error: then it is our bug
 */
export function connectionFailure(error: unknown, where: string, isSent: boolean): RunRefusal | undefined {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined
  if (typeof code !== 'string') return undefined
  const broken = own(BROKEN, code) ?? (code.startsWith('HPE_') ? 'its answer is not HTTP' : undefined)
  if (broken !== undefined || code.startsWith('ERR__ERROR_')) {
    return {
      kind: 'execution_error',
      message: `Cannot use the answer of ${where}: ${broken ?? 'it cannot be expanded'}`,
    }
  }
  if (isSent && isBrokenConnection(code)) {
    return {
      kind: 'execution_error',
      message: `Cannot use the answer of ${where}: the connection ended before it was whole`,
    }
  }
  const words = own(CONNECTION_MEANINGS, code)
  if (words !== undefined) {
    const [kind, retryable, why] = words
    return { kind, message: `Cannot reach ${where}: ${why}`, retryable }
  }
  // OpenSSL has many codes; for the caller they mean the same.
  const isTls =
    /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|CRL_|INVALID_CA|PATH_LENGTH_EXCEEDED|INVALID_PURPOSE)/.test(code)
  const isSystem = /^E(?:AI_)?[A-Z0-9]+$/.test(code)
  if (!isTls && !isSystem) return undefined
  return {
    kind: 'unavailable',
    message: `Cannot reach ${where}: ${isTls ? 'no encrypted connection came about' : 'the connection failed'} (${code})`,
    retryable: isSystem,
  }
}

type Meaning = Pick<RunRefusal, 'kind' | 'retryable'>

const FINAL: Meaning = { kind: 'execution_error', retryable: false }
/** The requested thing does not exist. */
const ABSENT: Meaning = { kind: 'not_found' }
const TOO_SLOW: Meaning = { kind: 'timeout' }
const LATER: Meaning = { kind: 'unavailable' }

/**
 * For statuses not listed: a 4xx or an unknown one will not succeed later, a 5xx may. The arguments have passed `input_schema`, so 400
 * and 422 are not `invalid_args`: caller, author or server may be wrong.
 */
const STATUS_MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [404, ABSENT],
  [408, TOO_SLOW],
  [410, ABSENT],
  [425, LATER],
  [429, LATER],
  [501, FINAL],
  [502, LATER],
  [503, LATER],
  [504, TOO_SLOW],
  [505, FINAL],
])

/** Seconds. An upper limit for what a server says. */
const LONGEST_WAIT = 24 * 60 * 60

/**
 * @param piece of the body, fit to be shown; empty if there is none
 * @param retryAfter the header
 */
export function statusFailure(status: number, piece: string, retryAfter: string | undefined): RunRefusal {
  const isServers = status >= 500 && status <= 599
  const meaning = STATUS_MEANINGS.get(status) ?? (isServers ? { kind: 'execution_error' } : FINAL)
  const wait = secondsOf(retryAfter, Date.now())
  const name = STATUS_CODES[status]
  const why = status === 401 || status === 403 ? '; its secrets may be wrong, or may not do this' : ''
  return {
    ...meaning,
    message: `The server answered ${status}${name === undefined ? '' : ` ${name}`}${why}${piece === '' ? '' : `: ${piece}`}`,
    extra: { status, ...(wait !== undefined && { retry_after: wait }) },
  }
}

/** `Retry-After` (RFC 9110 §10.2.3) in whole seconds from now; undefined if it is unreadable. */
export function secondsOf(retryAfter: string | undefined, now: number): number | undefined {
  const text = retryAfter?.trim() ?? ''
  const seconds = /^[0-9]+$/.test(text) ? Number(text) : (dateOf(text) - now) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), LONGEST_WAIT)
}

/** `Date.parse` accepts nearly anything; only the current form is read. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN
}

/** Characters that are read. */
const LOOKED_AT = 16_384
/** Characters that are shown. */
const SHOWN = 200

/** Also without the secrets of the session's other tools: a secret sent by one may come back to another. */
export function shownText(text: string, { secrets, hide }: Pick<RunRequest, 'secrets' | 'hide'>): string {
  const mask = new SecretMask()
  for (const secret of secrets.values()) {
    for (const spelling of [secret, oneLine(secret), ...asHost(secret)]) {
      if (spelling.length >= SHORTEST_SECRET) mask.add(spelling)
    }
  }
  // The cut may have gone through a secret.
  const seen = oneLine(hide(text.slice(0, LOOKED_AT)))
  return shortText(mask.cutText(hide(seen)), SHOWN)
}

/** A parsed url writes a host in lower case, and other scripts as ASCII. */
function asHost(text: string): string[] {
  const url = `http://${text}.x/`
  const lower = text.toLowerCase()
  return URL.canParse(url) ? [lower, new URL(url).hostname.slice(0, -'.x'.length)] : [lower]
}

/** Invisible characters go first: without them the parts of a secret are adjacent and can be masked. */
function oneLine(text: string): string {
  return withoutUnseen(text.replace(/\s+/g, ' ').trim())
}
