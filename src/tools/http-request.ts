// Checks what an http tool may send: headers (RFC 9110 §5.1, §5.5, §7) and content. One answer for lint, for verify and for the request that is sent.
/** Headers that the client sets itself, and headers for servers on the way: each decides where a request ends, or who gets it. */
const NOT_OURS =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i

/** `no-name`: not a valid header name. `not-ours`: a tool may not set it. */
export function headerNameProblem(name: string): 'no-name' | 'not-ours' | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'no-name'
  return NOT_OURS.test(name) ? 'not-ours' : undefined
}

/** The end of a sentence that begins with the value; undefined if the value is allowed. */
export function headerValueProblem(value: string): string | undefined {
  if (/[\r\n]/.test(value)) return 'has a line break'
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(value)) return 'has a control character'
  return /[^\x00-\x7f]/.test(value) ? 'has a character that is not ASCII' : undefined
}

/** Methods whose requests have no content, or none with a meaning (RFC 9110 §9.3, RFC 4918 §9). */
const NO_BODY = /^(?:GET|HEAD|DELETE|OPTIONS|MKCOL|COPY|MOVE|UNLOCK)$/

/** @param method in capitals */
export function hasBody(method: string): boolean {
  return !NO_BODY.test(method)
}
