// The interface of a format that says how a server of an agent's tools is started. Each file beside this one holds one format.
import type { ConversionChange } from '../../model/conversion.ts'
import type { Policy } from '../../model/policy.ts'
import type { Tool } from '../../model/tools.ts'

/** An agent as the client that starts the server sees it. */
export interface ServedAgent {
  readonly name: string
  readonly variant: string | undefined
  readonly version: string
  readonly description: string | undefined
  readonly policy: Policy
  readonly tools: readonly Tool[]
  /** What `rlp tool serve` is told: `mailer`, or the reference that the agent was exported from. */
  readonly called: string
}

interface ServerOptions {
  /** What the server's name begins with in a registry: a domain of the publisher, backwards. */
  readonly namespace: string | undefined
}

export interface ServerFormat {
  /** The value of `--to`. */
  readonly format: string
  /** For `--help`: begins in lower case, no full stop. */
  readonly summary: string
  /** The same for the same agent, at any time and place. @throws UsageError for options that it cannot do without */
  write(
    agent: ServedAgent,
    options: ServerOptions,
  ): { readonly document: unknown; readonly changes: readonly ConversionChange[] }
}
