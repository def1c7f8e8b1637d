// One call → its two frames (docs/trace.md).

import { blake3Hex } from '../bundle/blake3.ts'
import { serialize } from '../contract/serialize.ts'
import type { JsonSchema, Tool } from '../model/tools.ts'
import type { AnswerBody, CallPayload, ResultPayload, TraceFrame } from '../model/trace.ts'
import { digestText } from '../text/digest-text.ts'
import { bundleIdentity } from '../version/reference.ts'
import type { CallableAgent, CallRecord, CallStart } from './context.ts'

/** As {@link CallPayload.bundle}. */
export function bundleDigest({ bundle }: Pick<CallableAgent, 'bundle'>): string | null {
  return bundle === null ? null : bundleIdentity(bundle)
}

/** As {@link CallPayload.input_schema}. The bundle's digest covers the targets of its references. */
export function schemaDigest({ inputSchema }: Pick<Tool, 'inputSchema'>): string {
  return digestOfSchema(inputSchema)
}

/** As {@link CallPayload.result_schema}. */
export function resultSchemaDigest({ resultSchema }: Pick<Tool, 'resultSchema'>): string {
  return digestOfSchema(resultSchema)
}

function digestOfSchema(schema: JsonSchema): string {
  return digestText(blake3Hex(new TextEncoder().encode(serialize(schema))))
}

export function callFrame(call: CallStart): TraceFrame {
  const payload: CallPayload = {
    v: 1,
    call_id: call.callId,
    tool: call.toolId,
    arguments: call.arguments,
    ...(call.mended && { given: call.mended.given, changed_fields: call.mended.fields }),
    input_schema: call.tool === undefined ? null : schemaDigest(call.tool),
    result_schema: call.tool === undefined ? null : resultSchemaDigest(call.tool),
    ...(call.tags.length > 0 && { tags: call.tags }),
    bundle: bundleDigest(call.agent),
    attempt: call.attempt,
  }
  return { frame: 'CT_TOOL_CALL', ts: call.startedAt.toISOString(), payload }
}

export function resultFrame(call: CallRecord): TraceFrame {
  const { envelope, startedAt, durationMs } = call
  const ts = new Date(startedAt.getTime() + durationMs).toISOString()
  const whole = call.whole && bodyOf(call.whole)
  const payload = { ...resultPayload(call, envelope), ...(whole && { whole }) }
  return { frame: 'CT_TOOL_RESULT', ts, payload }
}

function resultPayload(call: CallRecord, envelope: CallRecord['envelope']): ResultPayload {
  const { callId: call_id, toolId: tool, durationMs } = call
  const about = {
    v: 1,
    call_id,
    tool,
    duration_ms: Math.max(0, Math.round(durationMs)),
    replayed: false,
    ...(call.enforced && { enforced: call.enforced }),
  } as const
  return { ...about, ...bodyOf(envelope) }
}

function bodyOf(envelope: CallRecord['envelope']): AnswerBody {
  if (envelope.ok) {
    const { result, warnings } = envelope
    return { ok: true, result, ...(warnings && { warnings }) }
  }
  const { ok: _, tool: __, ...error } = envelope
  return { ok: false, error }
}
