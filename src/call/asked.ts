// An unparsed line of JSON-RPC → the id that its answer needs, if it is a request.
import { closingQuote } from '../format/json/count.ts'

const SCALAR = /^\s*:\s*("[^"\\]{0,200}"|-?[0-9]{1,15}(?=\s*[,}]))?/

/**
 * Undefined for anything but a request, for a message with two ids, and for an id that is long or not a scalar: such a line gets no
 * answer.
 */
export function askedIn(line: string): string | number | undefined {
  let depth = 0
  let isRequest = false
  let id: string | undefined
  for (let at = 0; at < line.length; at++) {
    const c = line.charAt(at)
    if (c === '{' || c === '[') depth++
    else if (c === '}' || c === ']') depth--
    if (c !== '"') continue
    const end = closingQuote(line, at)
    const name = depth === 1 && end - at < 10 ? line.slice(at + 1, end) : ''
    at = end
    if (name === 'method') isRequest ||= SCALAR.test(line.slice(end + 1, end + 20))
    if (name !== 'id') continue
    const value = SCALAR.exec(line.slice(end + 1, end + 300))
    if (value === null) continue
    if (id !== undefined) return undefined
    id = value[1] ?? ''
  }
  return id === undefined || id === '' || !isRequest ? undefined : (JSON.parse(id) as string | number)
}
