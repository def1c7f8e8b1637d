// The context of a call: the agent whose tools are called, and everything that it needs from this host. Runs nothing.
import type { Restrict, ToolWords } from '../caps/interface-records.ts'
import type { Envelope } from '../contract/envelope.ts'
import type { NetGrant } from '../model/policy.ts'
import type { RunFacts, RunHost, RunPlan } from '../model/run.ts'
import type { Enforced } from '../model/sandbox.ts'
import type { SecretSource } from '../model/secret.ts'
import type { Tool } from '../model/tools.ts'
import type { SecretMask } from '../secret/secret-mask.ts'
import type { DeniedTool } from '../verify/load.ts'
import type { Ledger } from './ledger.ts'
import type { VariableSource } from './secrets.ts'

/** An agent whose tools may be called: of a verified bundle, or of a folder that the user vouches for. */
export interface CallableAgent {
  /** For people: `mailer 0.1.0`. */
  readonly name: string
  /** `name` or `name@variant`; null for a folder whose manifest does not say. */
  readonly reference: string | null
  /** As its manifest states it. */
  readonly version: string | null
  /** BLAKE3 of the manifest, lower-case hex; null for a source folder, whose bytes are not verified. */
  readonly bundle: string | null
  readonly tools: readonly Tool[]
  readonly denied: readonly DeniedTool[]
  /** `observability.tags` of a tool, exposed or denied; none of a tool that there is not. */
  tagsOf(id: string): readonly string[]
  /** What policy.caps ∩ overrides grants of the network. */
  readonly net: NetGrant
  /** The restrictions of interfaces.json; none if absent. */
  readonly restrict?: Restrict
  /** The words of interfaces.json for people; none if absent. */
  words?(id: string): ToolWords
  /** The parsed JSON file of the agent at a path; undefined if there is none. */
  fileAt(path: string): unknown
}

/** Everything that a person needs to know to confirm. Its text comes from the bundle and the caller: strip it before it is shown. */
export interface ConfirmQuestion {
  readonly agent: CallableAgent
  readonly tool: Tool
  readonly plan: RunPlan
  /** As they will be sent. */
  readonly arguments: unknown
}

/** 'nobody': no person can be asked. `cancelled`: the call was given up while the question was open. */
export type ConfirmDecision = 'approved' | 'declined' | 'nobody' | 'cancelled'

/**
 * Asked where a tool wants a person's yes. The question is a copy that cannot be changed. `true` means `approved` and `false` means `declined`; with
 * an answer of any other kind the tool is not run, and its envelope says so. What it throws is thrown on.
 */
export type Confirm = (question: ConfirmQuestion, signal: AbortSignal) => Promise<ConfirmAnswer>

export type ConfirmAnswer = boolean | ConfirmDecision

/** Where no person can be asked. */
export const UNANSWERED: Confirm = async () => 'nobody'

export interface CallLimits {
  /** Replaces the tools' own limits. Milliseconds. */
  readonly timeoutMs?: number | undefined
  /** How long a program may print nothing. Milliseconds; unlimited by default. */
  readonly idleMs?: number | undefined
  /** Bytes of an answer that are read. */
  readonly outputBytes: number
  /** Bytes of standard error that are read. */
  readonly errorBytes: number
  /** Characters of an envelope for a model; the contract's limit by default. */
  readonly resultChars?: number
}

export const CALL_LIMITS: CallLimits = { outputBytes: 8 * 1024 * 1024, errorBytes: 64 * 1024 }
/** If neither the caller nor the tool sets one (tools.json, `x-rlp.timeout_ms`). */
export const DEFAULT_TIMEOUT_MS = 30_000

export interface CallContext {
  readonly agent: CallableAgent
  /** One for each transport kind that can run here. */
  readonly hosts: readonly RunHost[]
  readonly secrets: SecretSource
  readonly variables: VariableSource
  /** Shared by all calls of a session. */
  readonly mask: SecretMask
  readonly confirm: Confirm
  /** Shared by all calls of a session. */
  readonly ledger: Ledger
  readonly limits: CallLimits
  /** The clock. */
  now(): Date
  /** Called before a tool runs; not called for a refused call. */
  readonly onStart?: ((call: CallStart) => void | Promise<void>) | undefined
}

export interface CallRequest {
  /** Unique in the session. */
  readonly callId: string
  /** A tool’s id. */
  readonly tool: string
  /** The arguments as JSON text. */
  readonly text: string
  /** 1 for the first. */
  readonly attempt?: number
  readonly signal: AbortSignal
}

/** Everything in it is masked. */
export interface CallStart {
  readonly callId: string
  readonly attempt: number
  readonly agent: CallableAgent
  readonly toolId: string
  /** Of a denied tool too: what was refused has to be found by its tags as well. */
  readonly tags: readonly string[]
  /** Undefined if the agent has no such tool, or does not expose it. */
  readonly tool: Tool | undefined
  /** What the tool gets, once they are coerced; before, the JSON value that was given, or the text itself if it is not JSON. */
  readonly arguments: unknown
  /** What was given, where it had to be mended. */
  readonly mended?: {
    readonly given: unknown
    /** Names of the arguments that differ, sorted. */
    readonly fields: readonly string[]
  }
  readonly startedAt: Date
}

/** `tool`: it answered, or failed in its own words. */
export type Speaker = 'rlp' | 'tool'

/** One call from beginning to end, for audit and trace. Everything in it is masked. */
export interface CallRecord extends CallStart {
  readonly envelope: Envelope
  /** The same before it was shortened for the model; left out where nothing was cut. */
  readonly whole?: Envelope
  /** Who wrote the envelope. A tool can claim anything, so decisions and advice follow only what rlp wrote. */
  readonly by: Speaker
  /** The warnings of the envelope that rlp wrote. */
  readonly notes: readonly string[]
  /** Undefined if the call was refused before it was planned. */
  readonly plan: RunPlan | undefined
  /** Undefined if nothing was run. */
  readonly facts: RunFacts | undefined
  /** What a program wrote to standard error. */
  readonly remarks: string | undefined
  readonly durationMs: number
  /** What held the call; undefined if nothing was started. */
  readonly enforced: Enforced | undefined
}
