// A redirect → the next request, or why it is not followed (RFC 9110 §15.4). Requests go only to the origin that was granted: Node's
// fetch would send nearly every header, secrets included, to any host that the answer names.

import type { RunRefusal } from '../../model/run.ts'
import type { HttpRequest } from '../../net/exchange.ts'
import { quoteText } from '../../text/quote.ts'

/** Redirects that are followed in one call. */
export const MOST_REDIRECTS = 5

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Undefined if the answer is not a redirect.
 * @param show makes a server's text fit to be shown
 */
export function followRedirect(
  request: HttpRequest,
  status: number,
  location: string | undefined,
  show: (text: string) => string,
): HttpRequest | RunRefusal | undefined {
  if (!REDIRECTS.has(status)) return undefined
  const refuse = (why: string): RunRefusal => ({
    kind: 'execution_error',
    message: `The server answered ${status}, ${why}`,
    retryable: false,
    extra: { status },
  })
  if (location === undefined) return refuse('a redirect that does not say where to')
  if (!URL.canParse(location, request.url)) return refuse('a redirect to an invalid url')
  const next = new URL(location, request.url)
  if (next.origin !== new URL(request.url).origin) {
    return refuse(`a redirect to another origin (${quoteText(show(originOf(next)))}), which is not followed`)
  }
  if (next.username !== '' || next.password !== '') return refuse('a redirect with a user name or password')
  next.hash = ''
  const isKept = status === 307 || status === 308 || !changesMethod(status, request.method)
  if (isKept) return { ...request, url: next.href }
  // Headers about the content are dropped with it.
  const headers = request.headers.filter(([name]) => !name.startsWith('content-'))
  return { method: 'GET', url: next.href, headers, body: undefined }
}

/** As every client does, although the specification once differed for 301 and 302. */
function changesMethod(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return method === 'POST'
}

/** A url without origin, for example `file:`, is compared by its scheme. */
function originOf(url: URL): string {
  return url.origin === 'null' ? url.protocol : url.origin
}
