// What is recorded of a call: one frame at its beginning and one at its end (docs/trace.md).
import type { Enforced } from './sandbox.ts'

/** The content types of the message protocol, with the numbers and type strings of the existing runtime. */
export const FRAMES = {
  CT_TOOL_CALL: { contentType: 3, type: 'intent.tool_call.v1' },
  CT_TOOL_RESULT: { contentType: 4, type: 'toolresult.generic.v1' },
} as const

export type FrameName = keyof typeof FRAMES

/** Secrets are masked before a value gets here. */
export interface CallPayload {
  readonly v: 1
  /** Identifies the call; its result has the same. */
  readonly call_id: string
  readonly tool: string
  /** What the tool got: coerced, if its schema asked for that. Of a call that was refused before, what was given. */
  readonly arguments: unknown
  /** What was given, and the names of the arguments that differ; only where the schema asked for a change. */
  readonly given?: unknown
  readonly changed_fields?: readonly string[]
  /** `blake3:` and the digest of the tool's input schema, compact and with sorted keys; null for an unknown tool. */
  readonly input_schema: string | null
  /** The same of the result schema. */
  readonly result_schema: string | null
  /** `observability.tags`, if the tool has any. */
  readonly tags?: readonly string[]
  /** `blake3:` and the digest of the bundle's manifest; null for a source folder. */
  readonly bundle: string | null
  /** 1 for the first. */
  readonly attempt: number
}

/** The body of the envelope, without the facts about the run. */
export type ResultPayload = {
  readonly v: 1
  readonly call_id: string
  readonly tool: string
  readonly duration_ms: number
  /** True if the answer was read from a trace. */
  readonly replayed: boolean
  /** What held the call; left out where nothing was started. */
  readonly enforced?: Enforced
  /** The answer before it was shortened for the model; left out where nothing was cut. */
  readonly whole?: AnswerBody
} & AnswerBody

/** What a call answered. */
export type AnswerBody =
  | { readonly ok: true; readonly result: unknown; readonly warnings?: readonly string[] }
  | { readonly ok: false; readonly error: { readonly [name: string]: unknown } }

export type TraceFrame =
  | { readonly frame: 'CT_TOOL_CALL'; readonly ts: string; readonly payload: CallPayload }
  | { readonly frame: 'CT_TOOL_RESULT'; readonly ts: string; readonly payload: ResultPayload }
