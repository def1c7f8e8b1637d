// A line of JSON-RPC → its message, read as strictly as all arguments are: what a reader before this one has understood otherwise must not
// be run (duplicate keys, `__proto__`, 1e400).
import { findJsonProblem } from '../format/json/scan.ts'
import { Refused } from './line-transport.ts'

const PARSE_ERROR = -32700

/** @param read reads a message loosely */
export function strictly<Message extends object>(read: (line: string) => Message): (line: string) => Message {
  return line => {
    const message = read(line)
    const problem = findJsonProblem(line)
    if (problem === undefined) return message
    // Only who asks waits for an answer.
    if (!('id' in message) || !('method' in message)) throw new Error(problem.message)
    const error = { code: PARSE_ERROR, message: `The message could not be read: ${problem.message}` }
    throw new Refused(problem.message, { jsonrpc: '2.0', id: message.id, error })
  }
}
