// Two parts of every request of our own: a lookup that checks each address before it is connected to, because a name does not say where
// it leads, and the error codes that end a connection, some of which Node makes up itself.
import dns from 'node:dns'
import type { LookupFunction } from 'node:net'

/** @param check throws for an address that may not be connected to */
export function checkedLookup(check: (address: string, host: string) => void): LookupFunction {
  return (host, options, callback) => {
    dns.lookup(host, { ...options, all: true }, (error, found) => {
      const [first] = found ?? []
      try {
        if (error !== null) throw error
        if (first === undefined) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
        for (const { address } of found) check(address, host)
      } catch (why) {
        callback(why as NodeJS.ErrnoException, '', 0)
        return
      }
      if (options.all === true) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}

const BROKEN =
  /^(?:ECONNRESET|EPIPE|ETIMEDOUT|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE|ERR_STREAM_DESTROYED|HPE_INVALID_EOF_STATE)$/
const TLS =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|EPROTO)/

/** Empty for what has none. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/** The connection ended before its answer was whole: it may work the next time. */
export function isBrokenConnection(code: string): boolean {
  return BROKEN.test(code)
}

/** No encrypted connection came about, mostly because of a certificate. */
export function isTlsFailure(code: string): boolean {
  return TLS.test(code)
}
