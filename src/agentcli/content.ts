// The output of an agentcli tool → what the model reads.
import { isJson } from './go-json.ts'
import { collapseSpace, jsonString, respaced, trimSpace } from './go-text.ts'
import { outcomeOf, type ToolEnd } from './outcome.ts'

/** UTF-8 bytes of an error text. */
export const MAX_ERROR_BYTES = 1000
/** UTF-8 bytes of a tool message in the transcript. */
const MAX_MESSAGE_BYTES = 8192
const TOO_LARGE = '{"truncated":true,"reason":"large-tool-output"}'

/**
 * What a program made for agentcli printed, and how it ended → the tool message that agentcli gives to a model, byte for byte but for white
 * space in JSON strings, which is data and stays. More than 8192 bytes become a note, unless `debug` is set.
 *
 * @example
 * toAgentcliContent({ exitCode: 0, stdout: '{"now":\n 12}\n', stderr: '' }) // '{"now": 12}'
 * toAgentcliContent({ exitCode: 1, stdout: '', stderr: 'no such zone' }) // '{"error":"no such zone"}'
 */
export function toAgentcliContent(
  end: ToolEnd,
  { debug = false }: { readonly debug?: boolean } = {},
): string {
  return transcriptContent(contentOf(end), debug)
}

/** The same at its full length. */
export function contentOf(end: ToolEnd): string {
  const outcome = outcomeOf(end)
  return outcome.ok ? successContent(outcome.stdout) : failureContent(outcome.error)
}

/**
 * One line for the model. White space between JSON tokens collapses, as upstream; inside strings it is data and stays. Other text
 * collapses everywhere.
 */
export function successContent(stdout: string): string {
  const text = trimSpace(stdout)
  if (text === '') return '{}'
  return isJson(text) ? respaced(text, ' ') : collapseSpace(text)
}

/** `{"error":"…"}`, cut to 1000 bytes at a character's end. */
export function failureContent(error: string): string {
  const { read } = new TextEncoder().encodeInto(error, new Uint8Array(MAX_ERROR_BYTES))
  return `{"error":${jsonString(error.slice(0, read))}}`
}

/** A tool message as it is sent: a long one is replaced by a note, except in debug mode. */
export function transcriptContent(content: string, isDebug: boolean): string {
  return isDebug || Buffer.byteLength(content) <= MAX_MESSAGE_BYTES ? content : TOO_LARGE
}

/** Why an output is not the one line of JSON that agentcli asks for; undefined if it is. */
export function outputProblem(stdout: string): string | undefined {
  const line = stdout.replace(/\r?\n$/, '')
  if (trimSpace(line) === '') return 'the tool printed nothing'
  if (/[\r\n]/.test(line)) return 'the tool printed more than one line'
  return isJson(line) ? undefined : 'the tool printed something else than JSON'
}
