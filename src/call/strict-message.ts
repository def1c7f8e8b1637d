// A line of JSON-RPC → its message, read as strictly as all arguments. A message that an earlier reader may have understood otherwise is
// refused (duplicate keys, `__proto__`, 1e400). Values are counted before parsing, so that a message cannot fill the memory.
import { closingQuote, holdsMoreValues } from '../json/count.ts'
import { findJsonProblem } from '../json/scan.ts'
import { byteLimit, MESSAGE_LIMITS } from '../model/limits.ts'
import { RefusedMessage } from './line-transport.ts'
import { MethodRefused } from './methods/method.ts'

const PARSE_ERROR = -32700
const INTERNAL_ERROR = -32603
/** The value of an id, or of nothing that could be one. */
const SCALAR = /^\s*:\s*("[^"\\]{0,200}"|-?[0-9]{1,15}(?=\s*[,}]))?/

/** @param read reads a message loosely */
export function strictly<Message extends object>(read: (line: string) => Message): (line: string) => Message {
  return line => {
    const problem = messageProblem(line)
    if (problem === undefined) return read(line)
    // Only a request waits for an answer.
    const id = askedIn(line)
    if (id === undefined) throw new Error(problem)
    const error = { code: PARSE_ERROR, message: `The message could not be read: ${problem}` }
    throw new RefusedMessage(problem, { jsonrpc: '2.0', id, error })
  }
}

function messageProblem(line: string): string | undefined {
  const { jsonValues } = MESSAGE_LIMITS
  if (holdsMoreValues(line, jsonValues))
    return `More than ${jsonValues} JSON values in one message; send several messages`
  return findJsonProblem(line)?.message
}

/** The replacement for an answer that is too long. Other messages need none: no one waits for them. */
export function tooLong<Message extends object>(message: Message, problem: string): Message | undefined {
  if (!('id' in message) || message.id === undefined || 'method' in message) return undefined
  const error = { code: INTERNAL_ERROR, message: `The answer cannot be sent: ${problem}` }
  return { jsonrpc: '2.0', id: message.id, error } as unknown as Message
}

/** What a connection refuses to send, where each answer has a response of its own. @throws MethodRefused */
export function sendable<Answer extends object>(answer: Answer): Answer {
  const { bytes } = MESSAGE_LIMITS
  if (Buffer.byteLength(JSON.stringify(answer)) <= bytes) return answer
  const problem = `the message is longer than ${byteLimit(bytes)}: ask for less at once`
  throw new MethodRefused('internal_error', `The answer cannot be sent: ${problem}`)
}

/**
 * The id that the answer to an unparsed line needs. Undefined for anything but a request, for a message with two ids, and for an id that is long or not a scalar: such a line gets no
 * answer.
 */
function askedIn(line: string): string | number | undefined {
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
