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
  /**
   * Masks every secret of the session in a text that may have been cut at its end. For what is shortened before it is handed back: half a
   * secret is no longer known for one.
   */
  readonly hide: (text: string) => string
  /** What policy.caps ∩ overrides grants of the network. */
  readonly net: NetGrant
  readonly limits: RunLimits
  /** Aborts the run: the program's process group is ended, the connection is closed. */
  readonly signal: AbortSignal
}

export interface RunLimits {
  readonly timeoutMs: number
  /** How long a program may print nothing; as long as it runs where nothing is said. */
  readonly idleMs?: number
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
      /** What a program wrote to standard error, for people; never part of the answer. */
      readonly remarks?: string
      readonly facts: RunFacts
    }
  | {
      readonly status: 'failed'
      readonly kind: FailureKind
      readonly message: string
      /** The message is what the tool itself wrote, and not about it. */
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
  /** What the caller should know and the tool did not say: output that was cut or is not UTF-8. */
  readonly notices: readonly string[]
  /** The command line as it was run, for the audit line; that of the plan where a transport has none. */
  readonly argv?: readonly string[]
  /** Where the program was started. */
  readonly cwd?: string
}

/** Runs the tools of one transport kind. Never throws for what a tool does. */
export type Runner = (request: RunRequest) => Promise<RunOutcome>

/** A run before it begins, as people and the audit line see it: secrets are named, and their values are not known yet. */
export interface RunPlan {
  /** The command line, or method and url. What is only known during the run stands in braces: `{arguments.json}`. */
  readonly argv: readonly string[]
  /** Empty where the transport has none. */
  readonly cwd: string
  /** Names of the environment variables that are passed on, secrets included. */
  readonly envKeys: readonly string[]
  /** The same and all else, as one JSON object for programs. */
  readonly detail: { readonly [member: string]: unknown }
  /** And for people, in the order in which it is read. */
  readonly lines: readonly (readonly [label: string, value: string])[]
}

/** Why a run cannot begin. */
export type RunRefusal = Omit<Extract<RunOutcome, { status: 'failed' }>, 'status' | 'facts'>

export type Planned =
  | { readonly ok: true; readonly plan: RunPlan }
  | { readonly ok: false; readonly refusal: RunRefusal }

/** One transport kind on this host. */
export interface RunHost {
  readonly kind: Tool['transport']['kind']
  /** Fills the templates and checks everything that can be checked before anything happens. Pure. */
  plan(request: Pick<RunRequest, 'tool' | 'input' | 'text' | 'limits'>): Planned
  readonly run: Runner
}
