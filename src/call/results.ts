// What a program gets that calls a tool, runs a module, or follows a folder.
import type { Envelope } from '../contract/envelope.ts'
import type { Finding } from '../model/finding.ts'
import type { Enforced } from '../model/sandbox.ts'
import type { TestedAgent } from './cases.ts'
import type { CallRecord } from './context.ts'
import type { ModuleEnd } from './wasi/run-module.ts'

export interface CallResult {
  /** What the tool answered, or why it was not called: docs/contract.md. It holds no secret. */
  readonly envelope: Envelope
  /** Whose words the envelope is. */
  readonly by: CallRecord['by']
  /** What a program wrote to standard error. */
  readonly remarks: string | undefined
  readonly durationMs: number
  /** What held the program, or the request; undefined if nothing was started. */
  readonly enforced: Enforced | undefined
}

export interface RunAgentResult {
  /** `exited` with a code of its own; else why it did not end by itself. */
  readonly end: ModuleEnd
  /** What held it. */
  readonly enforced: Enforced
  readonly durationMs: number
  /** Files and folders that are granted, and that it did not get. */
  readonly left: readonly string[]
}

export interface DevRound {
  /** Paths that changed; none in the first round. */
  readonly changed: readonly string[]
  /** How many digests were written; undefined if the manifest could not take them. */
  readonly digests: number | undefined
  /** Findings that the round before had not. */
  readonly findings: readonly Finding[]
  /** How many findings of the round before are gone. */
  readonly gone: number
  /** Why the tools from before are still served; undefined if these are. */
  readonly refused: string | undefined
  /** How many tools are served now. */
  readonly tools: number
  /** What the cases of its tools gave, with `test`. */
  readonly tested: TestedAgent | undefined
}
