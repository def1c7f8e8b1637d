// One run of a tool: the types between the verb `call`, which decides, and `host/`, which acts
// (docs/running.md).
import type { FailureKind } from './error.ts'
import type { NetGrant } from './policy.ts'
import type { Enforced } from './sandbox.ts'
import type { Tool } from './tools.ts'

/** Everything a runner needs, so that it looks up nothing again. */
export interface RunRequest {
  readonly tool: Tool
  /** Accepted by the preflight: a JSON object. */
  readonly input: { readonly [name: string]: unknown }
  /** The same as compact JSON text, byte for byte what the preflight accepted. */
  readonly text: string
  /** The value of each id that `tool.secrets` lists. Never in argv, logs, traces or messages. */
  readonly secrets: ReadonlyMap<string, string>
  /** The value of each variable of `x-rlp.env` that needs a grant and that the program gets. Treated as the secrets are. */
  readonly variables: ReadonlyMap<string, string>
  /**
   * Masks every secret of the session in a text that may have been cut at its end. Call it before a text is
   * shortened: half a secret can no longer be recognised.
   */
  readonly hide: (text: string) => string
  /** What policy.caps ∩ overrides grants of the network. */
  readonly net: NetGrant
  readonly limits: RunLimits
  /** The programs of all tools of the agent: none of them may be in a folder that one may write. */
  readonly programs: readonly string[]
  /** Aborts the run: ends the program's process group, closes the connection. */
  readonly signal: AbortSignal
}

export interface RunLimits {
  /** Infinite for a tool whose `x-rlp.timeout_ms` is 0: then only what ends a silent run ends it. */
  readonly timeoutMs: number
  /** How long a program may print nothing; without it, as long as the program runs. */
  readonly idleMs?: number
  /** Bytes kept of what the tool answers; the rest is read and counted. */
  readonly outputBytes: number
  /** Bytes kept of stderr. */
  readonly errorBytes: number
}

/** What a runner saw, before the answer is checked against the contract and `result_schema`. */
export type RunOutcome =
  | {
      readonly status: 'answered'
      /** Decoded as UTF-8. Invalid bytes are replaced, and `notices` says so. */
      readonly output: string
      /** What a program wrote to standard error, for people; never part of the answer. */
      readonly remarks?: string
      readonly facts: RunFacts
    }
  | {
      readonly status: 'failed'
      readonly kind: FailureKind
      readonly message: string
      /** The message was written by the tool, not by rlp. */
      readonly isQuoted?: boolean
      readonly retryable?: boolean
      /** The argument that is at fault, as the contract writes it: `recipient.mail`, `lines[2]`. */
      readonly field?: string
      /** Members beside the seven of a failure, `exit` or `status` for example. */
      readonly extra?: { readonly [name: string]: unknown }
      readonly remarks?: string
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
  /** What the caller should know and the tool did not say: output was cut or is not UTF-8. */
  readonly notices: readonly string[]
  /** The command line of the run, for the audit line; the plan's if the transport has none. */
  readonly argv?: readonly string[]
  /** Where the program was started. */
  readonly cwd?: string
  /** What held the program, or the request. */
  readonly enforced: Enforced
}

/** Runs the tools of one transport kind. Never throws for what a tool does. */
export type Runner = (request: RunRequest) => Promise<RunOutcome>

/**
 * A run before it begins, for people and the audit line. Secrets appear by name, because their values are not
 * known yet.
 */
export interface RunPlan {
  /**
   * The command line, or method and url. Values that are known only during the run appear in braces:
   * `{arguments.json}`.
   */
  readonly argv: readonly string[]
  /** Empty if the transport has none. */
  readonly cwd: string
  /** Names of the environment variables that are passed on, secrets included. */
  readonly envKeys: readonly string[]
  /** The same and everything else, as one JSON object for programs. */
  readonly detail: { readonly [member: string]: unknown }
  /** The same for people, in reading order. */
  readonly lines: readonly (readonly [label: string, value: string])[]
}

/** Why a run cannot begin. */
export type RunRefusal = Omit<Extract<RunOutcome, { status: 'failed' }>, 'status' | 'facts'>

export type Planned =
  | { readonly ok: true; readonly plan: RunPlan }
  | { readonly ok: false; readonly refusal: RunRefusal }

export interface PlannedVariables {
  /** The variables of `x-rlp.env` that need a grant and that the program gets: their values are no matter of a plan. */
  readonly variables: readonly string[]
}

/** One transport kind on this host. */
export interface RunHost {
  readonly kind: Tool['transport']['kind']
  /** Fills the templates and checks everything that can be checked without side effects. Pure. */
  plan(request: Pick<RunRequest, 'tool' | 'input' | 'text' | 'limits'> & PlannedVariables): Planned
  readonly run: Runner
}
