// The answer of another system's tool → an envelope.
import type { FailureKind } from '../model/error.ts'
import { type Detected, detect } from './detect.ts'
import { type Envelope, failure, success, textSuccess } from './envelope.ts'
import { isFields, member } from './json-text.ts'

/** An MCP server's answer to tools/call; only these members are used. */
export interface McpResult {
  readonly content?: readonly unknown[] | null
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

/**
 * A tool message of agentcli: `{"error":"…"}` alone is a failure, whose text tells what kind of, and an envelope is what it says. Everything
 * else is a success, as JSON where it is some, else as text.
 *
 * @example
 * fromAgentcli('{"error":"tool timed out"}', 'fetch') // kind timeout
 */
export function fromAgentcli(content: string, tool?: string): Envelope {
  const found = detect(content)
  const spoken = envelopeOf(found, tool)
  if (spoken !== undefined) return spoken
  if (found.is !== 'neither' || !found.json) return textSuccess(tool, content)
  const { value = null } = found
  const message = isFields(value) && Object.keys(value).length === 1 ? member(value, 'error') : undefined
  return typeof message === 'string'
    ? failure({ kind: kindOf(message), message, tool })
    : success(tool, value)
}

function kindOf(error: string): FailureKind {
  if (error === 'tool timed out') return 'timeout'
  return error.startsWith('unknown tool: ') ? 'tool_not_found' : 'execution_error'
}

/**
 * A result of MCP: `isError` is an execution_error, unless its text is an envelope itself. A success is its structured content, else the
 * envelope or the text in its one item of text, else the items.
 *
 * @example
 * fromMcp({ content: [{ type: 'text', text: 'disk full' }], isError: true }, 'save')
 */
export function fromMcp({ content: given, structuredContent, isError }: McpResult, tool?: string): Envelope {
  const content = given ?? []
  const texts = content.flatMap(item => {
    const text = isFields(item) && item['type'] === 'text' ? member(item, 'text') : undefined
    return typeof text === 'string' ? [text] : []
  })
  const [only] = texts
  const spoken = texts.length === 1 && only !== undefined ? envelopeOf(detect(only), tool) : undefined
  if (isError === true) {
    if (spoken?.ok === false) return spoken
    return failure({ kind: 'execution_error', message: texts.join('\n'), tool })
  }
  if (structuredContent !== undefined) return success(tool, structuredContent)
  if (spoken?.ok === true) return spoken
  return texts.length === content.length ? textSuccess(tool, texts.join('\n')) : success(tool, { content })
}

/** Accepts only a whole envelope: a success of another system may mention failures. */
function envelopeOf(found: Detected, tool: string | undefined): Envelope | undefined {
  if (found.is === 'neither' || found.form !== 'envelope') return undefined
  if (found.is === 'success') return success(tool, member(found.fields, 'result') ?? null)
  return { ...found.failure, ...(tool !== undefined && { tool }) }
}
