// An http tool + the arguments of a call + secrets → the one request that is sent, or why there is none. Pure: a dry run shows exactly
// what a run sends.

import { TEXT_LIMITS } from '../../model/limits.ts'
import type { RunRefusal } from '../../model/run.ts'
import type { Tool } from '../../model/tools.ts'
import type { HttpRequest } from '../../net/exchange.ts'
import { plainReach } from '../../net/target.ts'
import { quoteText } from '../../text/quote.ts'
import { hasBody } from '../../tools/http-body.ts'
import { headerNameProblem, headerValueProblem } from '../../tools/http-header.ts'
import { readTemplate } from '../../tools/template.ts'
import { inputText } from '../input-text.ts'
import { fillUrl } from './url.ts'

/** Headers if the tool sets none. Compression is not worth a decoder (but see body.ts). */
const DEFAULTS = [
  ['accept', 'application/json, */*;q=0.5'],
  ['accept-encoding', 'identity'],
  ['user-agent', 'rlp'],
] as const

/** @param text the arguments as JSON, byte for byte as the preflight kept them: the body, for methods that have one */
export function httpRequest(
  tool: Tool,
  input: unknown,
  text: string,
  secrets: ReadonlyMap<string, string>,
): HttpRequest | RunRefusal {
  const { transport } = tool
  if (transport.kind !== 'http') return { kind: 'rejected', message: 'The tool is not reached over http' }
  const { method } = transport
  // CONNECT opens a tunnel, the others return the secrets of the request.
  if (!/^[A-Z]+$/.test(method) || /^(?:CONNECT|TRACE|TRACK)$/.test(method)) {
    return { kind: 'rejected', message: `Cannot send the request: its method is ${quoteText(method)}` }
  }
  const reach = plainReach(tool)
  if ('kind' in reach) return reach
  const url = fillUrl(transport.url, input)
  if ('kind' in url) return url
  const headers = new Map<string, string>()
  for (const [name, template] of Object.entries(transport.headers)) {
    const key = name.toLowerCase()
    if (headerNameProblem(name) !== undefined || headers.has(key)) return badHeader(name)
    const value = fillHeader(name, template, { tool, input, secrets })
    if (typeof value !== 'string') return value
    headers.set(key, value)
  }
  const body = hasBody(method) ? text : undefined
  const usual = body === undefined ? DEFAULTS : [...DEFAULTS, ['content-type', 'application/json'] as const]
  for (const [name, value] of usual) if (!headers.has(name)) headers.set(name, value)
  return { method, url: url.href, headers: [...headers], body }
}

/** The request for display, with placeholders in place of secrets. */
export function maskedRequest(tool: Tool, input: unknown, text: string): HttpRequest | RunRefusal {
  const masked = tool.secrets.map(id => [id, `{{secret:${id.replace(/[^\x20-\x7e]/g, '?')}}}`] as const)
  return httpRequest(tool, input, text, new Map(masked))
}

interface Values {
  readonly tool: Tool
  readonly input: unknown
  readonly secrets: ReadonlyMap<string, string>
}

function fillHeader(name: string, template: string, { tool, input, secrets }: Values): string | RunRefusal {
  let value = ''
  for (const part of readTemplate(template)) {
    switch (part.kind) {
      case 'text':
        value += part.text
        break
      case 'malformed':
        return badHeader(name)
      case 'secret': {
        // Only listed secrets are inserted: policy.caps was checked against this list.
        const secret = tool.secrets.includes(part.id) ? secrets.get(part.id) : undefined
        const problem = secret === undefined ? 'is not there' : headerValueProblem(secret)
        if (problem !== undefined) return noSecret(part.id, problem)
        value += secret
        break
      }
      case 'input': {
        const text = inputText(input, part.path)
        const problem = 'problem' in text ? text.problem : valueProblem(text.text, text.field)
        if (problem !== undefined) return { kind: 'invalid_args', message: problem, field: text.field }
        value += 'text' in text ? text.text : ''
      }
    }
  }
  return headerValueProblem(value) === undefined ? value : badHeader(name)
}

function valueProblem(text: string, field: string): string | undefined {
  const problem =
    text.length > TEXT_LIMITS.header
      ? `is longer than ${TEXT_LIMITS.header} characters`
      : headerValueProblem(text)
  return problem && `Property '${field}' ${problem}: it is part of a header`
}

function badHeader(name: string): RunRefusal {
  return {
    kind: 'rejected',
    message: `Cannot send the request: its header ${quoteText(name)} cannot be set by a tool`,
  }
}

/** Names the problem with a secret, and nothing of its value. */
function noSecret(id: string, problem: string): RunRefusal {
  return {
    kind: 'unavailable',
    message: `Cannot use the secret ${quoteText(id)} in a header: it ${problem}`,
    retryable: false,
  }
}
