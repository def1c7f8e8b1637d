import { TOOLS_FILE } from '../../../model/agent.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'

/** The methods that a tool can send: the usual ones, and those of WebDAV (IANA registry of HTTP methods). */
const METHODS =
  'GET HEAD POST PUT PATCH DELETE OPTIONS QUERY PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH ACL MKCALENDAR'.split(
    ' ',
  )

export const toolsMethod: Rule = {
  id: 'tools/method',
  severity: 'error',
  scope: 'source',
  summary: 'an http method that no server knows, or no client sends',
  why: 'Every call would fail. CONNECT and TRACE are not sent on behalf of a tool: one opens a tunnel, the other reads back the secrets of the request.',
  fix: 'Use GET, POST, PUT, PATCH or DELETE.',
  looks: 'http',
  check({ at, tool: { transport } }, report) {
    const { method } = transport
    if (METHODS.includes(method)) return
    const meant = probablyMeant(method, METHODS)
    const isRefused = method === 'CONNECT' || method === 'TRACE'
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', 'method'] },
      message: `${quoteText(method)} is ${isRefused ? 'not sent for a tool' : 'no http method'}`,
      fix:
        meant === undefined || isRefused
          ? 'Use GET, POST, PUT, PATCH or DELETE'
          : `Write ${quoteText(meant)}`,
    })
  },
}
