// transport.kind "http": one request to a fixed host. Where it is sent: src/call/http/.

import { list, matching, type Read, ReadProblem, text } from '../../json/read.ts'
import { own } from '../../model/own.ts'
import type { Change } from '../../model/permissions.ts'
import type { HttpAct } from '../../model/transports/http.ts'
import { addressMeant, neverReached } from '../../policy/address.ts'
import { readUrl } from '../../policy/host.ts'
import { implied } from '../../policy/need.ts'
import { withReadableHosts } from '../../policy/readable-host.ts'
import { credentialIn, credentialParameter, isLiteralCredential } from '../../secret/credential.ts'
import { quoteText, shortText } from '../../text/quote.ts'
import { midSentence } from '../../text/words.ts'
import { LEFT_TO_THE_HOST, lostBecause } from '../fields/field.ts'
import { hasBody } from '../http-request.ts'
import { readTemplate } from '../template.ts'
import type { TransportKind, WrittenCredential } from './kind.ts'

const texts = list(text)

export const http: TransportKind<'http'> = {
  kind: 'http',
  summary: 'one HTTP request',
  read: json => ({
    kind: 'http',
    method: own(json, 'method') as string,
    url: own(json, 'url') as string,
    headers: (own(json, 'headers') as Record<string, string> | undefined) ?? {},
  }),
  write: ({ method, url, headers }) => ({
    kind: 'http',
    method,
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
  }),
  templates: ({ url, headers }) => [
    { where: 'url', text: url, at: ['transport', 'url'] },
    ...Object.entries(headers).map(
      ([name, text]) => ({ where: 'header', text, at: ['transport', 'headers', name] }) as const,
    ),
  ],
  everyText({ url, headers }, holds) {
    for (const name in headers) if (!holds(own(headers, name) ?? '')) return false
    return holds(url)
  },
  sendsAll: ({ method }) => hasBody(method.toUpperCase()),
  secrets: { in: 'header', example: id => `"Authorization": "Bearer {{secret:${id}}}"` },
  writtenCredentials({ url, headers }) {
    const written: WrittenCredential[] = []
    const parameter = credentialParameter(url)
    const inUrl = credentialIn(url)
    if (inUrl !== undefined) written.push({ at: ['url'], what: `The url holds ${inUrl}` })
    else if (parameter !== undefined)
      written.push({ at: ['url'], what: `The url holds a credential as ${quoteText(parameter)}` })
    for (const [name, value] of Object.entries(headers)) {
      const parts = readTemplate(value)
      const plain = parts.map(part => (part.kind === 'text' ? part.text : ' ')).join('')
      const kind = credentialIn(plain)
      const isWhole = parts.every(part => part.kind === 'text') && isLiteralCredential(name, plain)
      if (kind === undefined && !isWhole) continue
      written.push({
        at: ['headers', name],
        what: `The header ${quoteText(name)} holds ${kind ?? 'a credential'}`,
      })
    }
    return written
  },
  credentialFix: 'Revoke it, list a secret in secrets, and write {{secret:<id>}} in a header',

  need: {
    family: 'net',
    key: 'url',
    of({ url }) {
      const reach = readUrl(url)
      const at = ['transport', 'url']
      // A url that cannot be read reaches nothing that could be granted; the empty scope never is.
      if ('problem' in reach) return { ...implied('net:', at), scheme: 'https' }
      return { ...implied(`net:${reach.host}:${reach.port}`, at), scheme: reach.scheme }
    },
    words({ url }) {
      const reach = readUrl(url)
      if ('problem' in reach) return []
      const { scheme, host, port } = reach
      const whole = `net:${host}:${port}`
      return port === (scheme === 'https' ? 443 : 80) ? [`net:${host}`, whole] : [whole]
    },
    reach: ({ url }) => readUrl(url),
  },

  shown: {
    target: ({ method, url }) => `${method.toUpperCase()} ${url}`,
    line: ({ method, url }) => `${method} ${url}`,
    changing: ({ method }) =>
      /^(?:GET|HEAD|OPTIONS)$/.test(method) ? undefined : `sends a ${shortText(method, 20)}`,
    sureness: ({ method }) => (method === 'POST' ? 'likely' : 'sure'),
    deleting: ({ method }) => (method === 'DELETE' ? 'sends a DELETE' : undefined),
    isReading: isSafe,
  },

  act: {
    of({ transport: { method, url, headers } }) {
      const sorted = Object.entries(headers)
        .map(([name, value]) => [name.toLowerCase(), value] as const)
        .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      return { kind: 'http', method: method.toUpperCase(), ...placeIn(url), headers: sorted }
    },
    members: ['method', 'target', 'path', 'headers'],
    read: (table, at) => ({
      kind: 'http',
      method: text(table['method'], `${at}.method`),
      target: text(table['target'], `${at}.target`),
      path: matching(/^\/[^\0]*$/, 'is no path')(table['path'], `${at}.path`),
      headers: list(header)(table['headers'], `${at}.headers`),
    }),
    receiver: ({ target }) => target,
    uses: ({ method, target, path }) => ({
      what: 'host',
      name: target,
      verb: method,
      how: `${method} ${path}`,
    }),
    env: () => [],
    // No method, path or header is known to do less than another.
    widened(before, tool) {
      const changes: Change[] = []
      const { id, method } = tool
      const about = { tool: id }
      if (before.method !== method)
        changes.push({
          ...about,
          kind: 'method',
          message: `calls ${id} with ${method}, not ${before.method}`,
        })
      if (placeOf(before) !== placeOf(tool))
        changes.push({
          ...about,
          kind: 'path',
          message: `calls ${id} at ${placeOf(tool)}, not ${placeOf(before)}`,
        })
      const [old, now] = [new Map(before.headers), new Map(tool.headers)]
      for (const [name, value] of now) {
        if (old.get(name) === value) continue
        const was = old.has(name) ? `, not ${shortText(old.get(name) ?? '')}` : ''
        changes.push({
          ...about,
          kind: 'header',
          message: `calls ${id} with ${name}: ${shortText(value)}${was}`,
        })
      }
      for (const name of old.keys())
        if (!now.has(name))
          changes.push({ ...about, kind: 'header', message: `calls ${id} without the header ${name}` })
      return changes
    },
    narrowed(tool, now) {
      if (isSafe(tool) || !isSafe(now)) return []
      const message = `calls ${tool.id} with ${tool.method}, not ${now.method}`
      return [{ tool: tool.id, kind: 'method', message }]
    },
    does: ({ method, target, path }) => `calls ${method} ${withReadableHosts(target)}${path}`,
  },

  record: {
    fields: () => ['http'],
    fates: {
      http: {
        ...LEFT_TO_THE_HOST,
        'agent-tool': 'external_mappings, source openapi; execution_kind http_api',
        agentcli: lostBecause(
          'agentcli starts programs only: the tool is left out, it needs a program that sends the request',
        ),
      },
    },
    program: () => undefined,
    tool: 'openapi_operation',
    execution: 'http_api',
    access: 'network',
    reaches: ['network'],
    mapping: ({ transport: { method, url, headers } }, ref) => ({
      source: 'openapi',
      operation_ref: ref,
      method,
      url,
      headers,
    }),
  },

  asked: {
    questions: [
      {
        name: 'url',
        at: ['url'],
        message: 'Url ({{input.<field>}} is filled in, in path and query)',
        example: 'https://api.mail.example/send',
        check: urlProblem,
      },
      {
        name: 'method',
        at: ['method'],
        message: 'HTTP method (POST sends the arguments as JSON, GET only those in the url)',
        fallback: 'POST',
        check: methodProblem,
      },
    ],
    flags: ['url', 'method', 'header'],
    stated: ({ url, method }) => ({ url, method }),
    answered: (answer, { headers }) => ({
      kind: 'http',
      method: answer('method').toUpperCase(),
      url: answer('url'),
      headers,
    }),
  },
}

/** Methods that change nothing where they are sent. */
function isSafe({ method }: { readonly method: string }): boolean {
  return method === 'GET' || method === 'HEAD'
}

function placeOf({ target, path }: HttpAct): string {
  return `${target}${path}`
}

function placeIn(url: string): Pick<HttpAct, 'target' | 'path'> {
  const reach = readUrl(url)
  // A verified bundle has no such url; if it had, it would be a target of its own.
  if ('problem' in reach) return { target: url, path: '/' }
  // What follows a # is never sent.
  const [, rest = ''] = /^https?:\/\/[^/?#]*([^#]*)/.exec(url) ?? []
  return {
    target: `${reach.scheme}://${reach.host}:${reach.port}`,
    path: rest.startsWith('/') ? rest : `/${rest}`,
  }
}

const header: Read<readonly [string, string]> = (value, at) => {
  const [name, content, ...more] = texts(value, at)
  if (name !== undefined && content !== undefined && more.length === 0) return [name, content]
  throw new ReadProblem(`${at} is no name with a value`)
}

function methodProblem(method: string): string | undefined {
  return /^[A-Za-z]{1,20}$/.test(method) ? undefined : 'write an HTTP method, for example GET or POST'
}

/** Why a text cannot be the url of a tool. */
export function urlProblem(url: string): string | undefined {
  if (url === '') return 'write an absolute url, for example https://api.mail.example/send'
  const reach = readUrl(url)
  if ('problem' in reach) return `${reach.problem}; ${midSentence(reach.fix)}`
  const why = neverReached(reach)
  if (why === undefined) return undefined
  const meant = addressMeant(reach.host)
  const fix = meant === undefined ? 'the address that is meant' : url.replace(reach.host, meant)
  return `no call is ever sent to ${reach.host}: it is ${why}; write ${fix}`
}
