// A connection's error → a failure with a message of its own. The system's messages differ between hosts and versions, so they are not
// used.
import { own } from '../../model/own.ts'
import type { RunRefusal } from '../../model/run.ts'
import { NOT_PERMITTED, notPermitted } from '../../model/system-error.ts'
import { isBrokenConnection } from '../../net/connection-code.ts'

type Words = readonly [kind: RunRefusal['kind'], retryable: boolean, why: string]

const STRANGER: Words = [
  'unavailable',
  false,
  'its certificate comes from an authority that is not trusted here',
]

const MEANINGS: Readonly<Record<string, Words>> = {
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
  const words = own(MEANINGS, code)
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
