// The output of an agentcli tool → what the model reads.
import { isJson } from './go-json.ts'
import { collapseSpace, jsonString, respaced, trimSpace } from './go-text.ts'

/** UTF-8 bytes of an error text. */
export const MAX_ERROR_BYTES = 1000
/** UTF-8 bytes of a tool message in the transcript. */
const MAX_MESSAGE_BYTES = 8192
const TOO_LARGE = '{"truncated":true,"reason":"large-tool-output"}'

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
