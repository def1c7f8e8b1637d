// Codes of errors that end a connection. Node gives some of them to errors of its own, which name no call of the system.

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
