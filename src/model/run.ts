// One run of a tool, between the verb `call`, which decides, and `host/`, which does (systems reference §5c, steps 5 and 6).
import type { FailureKind } from './error.ts'
import type { NetGrant } from './policy.ts'
import type { Tool } from './tools.ts'

/** Everything a runner needs; nothing in it is looked up again. */
export interface RunRequest {
  readonly tool: Tool
  /** Accepted by the preflight: a JSON object. */
  readonly input: { readonly [name: string]: unknown }
  /** The same as compact JSON text, in the very bytes that the preflight kept. */
  readonly text: string
  /** The value of each id that `tool.secrets` lists. Never in argv, logs, traces or messages. */
  readonly secrets: ReadonlyMap<string, string>
  /** What policy.caps ∩ overrides grants of the network. */
  readonly net: NetGrant
  readonly limits: RunLimits
  /** Aborts the run: the program's process group is ended, the connection is closed. */
  readonly signal: AbortSignal
}

export interface RunLimits {
  readonly timeoutMs: number
  /** Bytes kept of what the tool answers; the rest is read and counted. */
  readonly outputBytes: number
  /** Bytes kept of stderr. */
  readonly errorBytes: number
}

/** What a runner saw, before anyone judges the answer against the contract and `result_schema`. */
export type RunOutcome =
  | {
      readonly status: 'answered'
      /** Decoded as UTF-8; what is none is replaced, and `notices` says so. */
      readonly output: string
      readonly facts: RunFacts
    }
  | {
      readonly status: 'failed'
      readonly kind: FailureKind
      readonly message: string
      readonly retryable?: boolean
      /** Members beside the seven of a failure, `exit` or `status` for example. */
      readonly extra?: { readonly [name: string]: unknown }
      readonly facts: RunFacts
    }

/** For the audit line and the trace. */
export interface RunFacts {
  /** Whether the program was started, or the request sent. */
  readonly started: boolean
  /** The exit code; -1 when it was ended by a signal or is not known; 0 or -1 for a request that was answered or not. */
  readonly exit: number
  readonly ms: number
  /** Bytes in all, kept or not. */
  readonly outputBytes: number
  readonly errorBytes: number
  readonly truncated: boolean
  /** What the caller should know and the tool did not say: output that was cut or is not UTF-8. */
  readonly notices: readonly string[]
}

/** Runs the tools of one transport kind. Never throws for what a tool does. */
export type Runner = (request: RunRequest) => Promise<RunOutcome>
