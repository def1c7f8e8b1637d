// tools/call: one call of one tool, whose answer is an envelope, and its result by itself where that fits the tool's output schema.
import { failure } from '../../contract/envelope.ts'
import { serialize } from '../../contract/serialize.ts'
import { MCP_NAME_LENGTH } from '../../model/limits.ts'
import type { Answer } from '../served.ts'
import { type Method, MethodRefused, type ProgressParams, TOO_MANY } from './method.ts'

interface CallParams {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>>
  readonly _meta?: { readonly progressToken?: ProgressParams['progressToken'] }
}

export const toolsCall = {
  name: 'tools/call',
  capability: 'tools',
  async answer({ params, signal, confirm, notify }, { served, pending }) {
    const { name, arguments: given = {}, _meta } = params as unknown as CallParams
    const progressToken = _meta?.progressToken
    const text = serialize(given)
    let progress = 0
    const taken = pending.take(text.length, signal, until =>
      served.call(name, text, {
        signal: until,
        confirm: question => confirm(question, until),
        progress(message) {
          if (progressToken === undefined || until.aborted) return
          notify('notifications/progress', { progressToken, progress: ++progress, message })
        },
      }),
    )
    const tool = name.slice(0, MCP_NAME_LENGTH).toWellFormed()
    const message = `Tool '${tool}' was not called: ${TOO_MANY}.`
    const answer: Answer | undefined =
      taken === undefined ? { envelope: failure({ kind: 'unavailable', message, tool }) } : await taken
    if (answer === undefined)
      throw new MethodRefused('invalid_params', `Tool '${tool}' is not available in this session.`)
    const { envelope, structured, enforced } = answer
    return {
      content: [{ type: 'text', text: serialize(envelope) }],
      ...(structured && { structuredContent: structured }),
      ...(!envelope.ok && { isError: true }),
      ...(enforced && { _meta: { 'rlp/enforced': enforced } }),
    }
  },
} as const satisfies Method
