// Whether a request has content: one answer for lint and for the request that is sent.

/** Methods whose requests have no content, or none with a meaning (RFC 9110 §9.3, RFC 4918 §9). */
const NO_BODY = /^(?:GET|HEAD|DELETE|OPTIONS|MKCOL|COPY|MOVE|UNLOCK)$/

/** @param method in capitals */
export function hasBody(method: string): boolean {
  return !NO_BODY.test(method)
}
