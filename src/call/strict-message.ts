// A line of JSON-RPC → its message, read as strictly as all arguments. A message that an earlier reader may have understood otherwise is
// refused (duplicate keys, `__proto__`, 1e400). Values are counted before parsing, so that a message cannot fill the memory.
import { holdsMoreValues } from '../format/json/count.ts'
import { findJsonProblem } from '../format/json/scan.ts'
import { MESSAGE_LIMITS } from '../model/limits.ts'
import { askedIn } from './asked.ts'
import { RefusedMessage } from './line-transport.ts'

const PARSE_ERROR = -32700
const INTERNAL_ERROR = -32603

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
