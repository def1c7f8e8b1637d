// What an agentcli tool printed → what the model reads, and what the model wrote → what the tool reads (systems reference §1a).
import { isJson } from './go-json.ts'
import { collapseSpace, jsonString, respaced, trimSpace } from './go-text.ts'

/** UTF-8 bytes of an error text. */
export const MAX_ERROR_BYTES = 1000
/** UTF-8 bytes of a tool message in the transcript. */
const MAX_MESSAGE_BYTES = 8192
const TOO_LARGE = '{"truncated":true,"reason":"large-tool-output"}'

/** The arguments of a call as the tool finds them on stdin: neither parsed nor held against the schema. */
export function stdinOf(args: string): string {
  return trimSpace(args) || '{}'
}

/**
 * One line for the model. White space between the tokens of JSON collapses as it does upstream; inside its strings it stays, because
 * there it is data (§1c no. 5). Other text collapses as a whole.
 */
export function successContent(stdout: string): string {
  const text = trimSpace(stdout)
  if (text === '') return '{}'
  return isJson(text) ? respaced(text, ' ') : collapseSpace(text)
}

/** `{"error":"…"}`, cut to 1000 bytes at a character's end (§1c no. 9). */
export function failureContent(error: string): string {
  const { read } = new TextEncoder().encodeInto(error, new Uint8Array(MAX_ERROR_BYTES))
  return `{"error":${jsonString(error.slice(0, read))}}`
}

/** The error of a call that names no tool. */
export function unknownTool(name: string): string {
  return `unknown tool: ${name}`
}

/** A tool message as it is sent: what is too long is said to be, unless somebody is debugging. */
export function transcriptContent(content: string, isDebug: boolean): string {
  return isDebug || Buffer.byteLength(content) <= MAX_MESSAGE_BYTES ? content : TOO_LARGE
}

/** Why an output is not what the page asks for, one line of JSON; undefined when it is (§1c no. 4). */
export function outputProblem(stdout: string): string | undefined {
  const line = stdout.replace(/\r?\n$/, '')
  if (trimSpace(line) === '') return 'the tool printed nothing'
  if (/[\r\n]/.test(line)) return 'the tool printed more than one line'
  return isJson(line) ? undefined : 'the tool printed something else than JSON'
}
