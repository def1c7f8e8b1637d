// What a call is made in: the agent whose tools are called, and everything on this host that is needed for it. Nothing here runs anything.

import type { Restrict } from '../caps/restrictions.ts'
import type { Envelope } from '../contract/envelope.ts'
import type { SecretMask } from '../format/secret-mask.ts'
import type { NetGrant } from '../model/policy.ts'
import type { RunFacts, RunHost, RunPlan } from '../model/run.ts'
import type { SecretSource } from '../model/secret.ts'
import type { Tool } from '../model/tools.ts'
import type { DeniedTool } from '../verify/load.ts'
import type { Ledger } from './ledger.ts'

/** An agent whose tools may be called: of a verified bundle, or of a folder that somebody vouches for. */
export interface CallableAgent {
  /** For people: `mailer 0.1.0`. */
  readonly name: string
  /** BLAKE3 of the manifest, lower-case hex; null for a source folder, whose bytes nobody has verified. */
  readonly bundle: string | null
  readonly tools: readonly Tool[]
  readonly denied: readonly DeniedTool[]
  /** What policy.caps ∩ overrides grants of the network. */
  readonly net: NetGrant
  /** What records of interfaces.json take away; nothing where it is left out. */
  readonly restrict?: Restrict
  /** The parsed JSON file of the agent at a path; undefined when there is none. */
  fileAt(path: string): unknown
}

/** What a person has to know to say yes. Text in it comes from the bundle and from the caller: strip it before it is shown. */
export interface Question {
  readonly agent: CallableAgent
  readonly tool: Tool
  readonly plan: RunPlan
  /** As they will be sent. */
  readonly arguments: unknown
}

/** `nobody`: there is no one to ask. `cancelled`: the call was given up while the question stood. */
export type Decision = 'approved' | 'declined' | 'nobody' | 'cancelled'

export type Confirm = (question: Question, signal: AbortSignal) => Promise<Decision>

export interface CallLimits {
  /** In place of what the tools themselves say. Milliseconds. */
  readonly timeoutMs?: number
  /** How long a program may print nothing. Milliseconds; as long as it runs where nothing is said. */
  readonly idleMs?: number
  /** Bytes of an answer that are read. */
  readonly outputBytes: number
  /** Bytes of standard error that are read. */
  readonly errorBytes: number
  /** Characters of an envelope that a model gets; the contract's own limit where nothing is said. */
  readonly resultChars?: number
}

export const CALL_LIMITS: CallLimits = { outputBytes: 8 * 1024 * 1024, errorBytes: 64 * 1024 }
/** Where neither the caller nor the tool says anything (tools.json, `x-rlp.timeout_ms`). */
export const DEFAULT_TIMEOUT_MS = 30_000

export interface CallContext {
  readonly agent: CallableAgent
  /** One for each transport kind that runs here. */
  readonly hosts: readonly RunHost[]
  readonly secrets: SecretSource
  /** Shared by all calls of a session. */
  readonly mask: SecretMask
  readonly confirm: Confirm
  /** Shared by all calls of a session. */
  readonly ledger: Ledger
  readonly limits: CallLimits
  /** The clock. */
  now(): Date
  /** Told when a tool is about to run; not told of calls that were refused before. */
  readonly onStart?: (call: CallStart) => void | Promise<void>
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
  /** Undefined when the agent has no such tool, or does not expose it. */
  readonly tool: Tool | undefined
  /** What the tool gets, once they are coerced; before, the JSON value that was given, or the text itself if it is not JSON. */
  readonly arguments: unknown
  readonly startedAt: Date
}

/** `tool`: it answered, or failed in its own words. */
export type Speaker = 'rlp' | 'tool'

/** One call from beginning to end, for audit and trace. Everything in it is masked. */
export interface CallRecord extends CallStart {
  readonly envelope: Envelope
  /** The same before it was shortened for the model; left out where nothing was cut. */
  readonly whole?: Envelope
  /** Whose words the envelope is. A tool can claim anything: only what rlp says may decide or advise. */
  readonly by: Speaker
  /** Those of the envelope's warnings that are rlp's own. */
  readonly notes: readonly string[]
  /** Undefined when the call was refused before anything could be planned. */
  readonly plan: RunPlan | undefined
  /** Undefined when nothing was run. */
  readonly facts: RunFacts | undefined
  /** What a program wrote to standard error. */
  readonly remarks: string | undefined
  readonly durationMs: number
}
