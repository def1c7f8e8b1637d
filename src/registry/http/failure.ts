// Turns failures of a registry into errors, each with something that a person can do about it. The text of an answer is never repeated: a
// server could send back what it was told in confidence.
import type { Over } from '../../io/wait/deadline.ts'
import { RlpError } from '../../model/error.ts'
import { byteLimit, FETCH_LIMITS, MORE_TIME } from '../../model/limits.ts'
import { own } from '../../model/own.ts'
import { isSystemError } from '../../model/system-error.ts'
import { codeOf, isBrokenConnection, isTlsFailure } from '../../net/connection.ts'
import { NotDialled } from './registry-server.ts'

const OTHER_PLACE =
  'Check what this machine looks up for the name, and ask who keeps the registry for its set-up'
const NO_HOST = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME', 'EAI_FAIL']

/** Whether trying again may help. */
export function isBroken(error: unknown): boolean {
  return isBrokenConnection(codeOf(error instanceof RlpError ? error.cause : error))
}

/**
 * @param host with its port
 * @param way what may be the reason where no connection is made
 */
export function unreached(doing: string, host: string, cause: unknown, way?: string): unknown {
  const code = codeOf(cause)
  const known = cause instanceof NotDialled ? ([cause.message, OTHER_PLACE] as const) : seen(code, host)
  if (known === undefined && !isSystemError(cause) && !/^(?:HPE_|ERR_HTTP|ERR_INVALID_)/.test(code))
    return cause
  const [state, usual] = known ?? [`${host} does not speak HTTP (${code})`, 'Check host and port']
  const hint = way !== undefined && !isTlsFailure(code) ? way : usual
  return new RlpError('UNREACHABLE', `Cannot ${doing}: ${state}`, { hint, cause })
}

/** What was waited for when the time was over, or the caller gave up. */
export function ended(doing: string, host: string, over: Over): RlpError {
  if (over.why === 'cancelled') return new RlpError('CANCELLED', `Cancelled: cannot ${doing}`)
  const seconds = `${over.ms / 1000} s`
  const state =
    over.why === 'slow'
      ? `${host} gave and took less than ${byteLimit(over.bytesPerSecond)} a second over ${seconds}`
      : `${host} took longer than ${seconds} ${over.part === undefined ? 'in all' : `for ${over.part}`}`
  const isShort = over.why === 'late' && over.part === undefined && over.ms < FETCH_LIMITS.seconds * 1000
  return new RlpError('TIMED_OUT', `Cannot ${doing}: ${state}`, {
    hint: `Try again later${isShort ? `. If the registry is that slow, ${MORE_TIME}` : ''}`,
  })
}

function seen(code: string, host: string): readonly [state: string, hint: string] | undefined {
  if (NO_HOST.includes(code))
    return [
      `there is no host ${host}`,
      'Check the name of the registry, and that this machine can look up names',
    ]
  if (isTlsFailure(code))
    return [
      `the certificate of ${host} does not hold (${code})`,
      'Check the name of the registry. If it has an authority of your own, name its certificate in NODE_EXTRA_CA_CERTS',
    ]
  if (['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN'].includes(code))
    return [
      `no connection to ${host} (${code})`,
      'Check that the registry runs, and the network or proxy on the way to it',
    ]
  if (isBrokenConnection(code))
    return [
      `the connection to ${host} broke (${code})`,
      'Run the command again: what was stored is not sent again',
    ]
  return undefined
}

/** Codes of the distribution specification: a server can put nothing else into a message. */
const CODES = [
  'BLOB_UNKNOWN',
  'BLOB_UPLOAD_INVALID',
  'BLOB_UPLOAD_UNKNOWN',
  'DIGEST_INVALID',
  'MANIFEST_BLOB_UNKNOWN',
  'MANIFEST_INVALID',
  'MANIFEST_UNKNOWN',
  'NAME_INVALID',
  'NAME_UNKNOWN',
  'SIZE_INVALID',
  'UNAUTHORIZED',
  'DENIED',
  'UNSUPPORTED',
  'TOOMANYREQUESTS',
] as const

const BY_STATUS: Readonly<
  Record<
    string,
    readonly [code: 'NO_PERMISSION' | 'NOT_STORED' | 'STORE' | 'UNREACHABLE', state: string, hint: string]
  >
> = {
  401: ['NO_PERMISSION', 'it wants to know who asks', 'Log in with rlp login HOST'],
  403: [
    'NO_PERMISSION',
    'it does not allow that',
    'Ask who keeps the registry for the right to it, or log in as another user',
  ],
  404: ['NOT_STORED', 'it is not there', 'Check host, repository and tag'],
  405: ['STORE', 'it does not allow to write', 'Name a registry that takes uploads'],
  413: ['STORE', 'it is too large for the registry', 'Ask who keeps the registry to raise its limit'],
  429: [
    'UNREACHABLE',
    'too many requests in a short time',
    'Wait a while, or log in: registries allow more to users that they know',
  ],
}

/** @param body the beginning of the answer */
export function refusedStatus(doing: string, host: string, status: number, body = ''): RlpError {
  const said = CODES.find(code => body.includes(`"${code}"`))
  const where = `${host} answered ${status}${said === undefined ? '' : ` ${said}`}`
  const known = own(BY_STATUS, status)
  if (known !== undefined) {
    const [code, state, hint] = known
    return new RlpError(code, `Cannot ${doing}: ${state} (${where})`, { hint })
  }
  return new RlpError(status >= 500 ? 'UNREACHABLE' : 'STORE', `Cannot ${doing}: ${where}`, {
    hint:
      status >= 500
        ? 'The registry has a problem of its own. Try again later'
        : 'Check that this is a registry',
  })
}
