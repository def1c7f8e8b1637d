// The interface between the MCP server and the tools it offers, and the words by which a server of unverified tools is known.
import type { Failure, Success } from '../contract/envelope.ts'
import type { Enforced } from '../model/sandbox.ts'

/** One tool as `tools/list` shows it. */
export interface ServedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly outputSchema?: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly [member: string]: unknown
}

/** What a call may ask of the client. */
export interface Caller {
  /** Aborted if the client cancels the request, or disconnects. */
  readonly signal: AbortSignal
  /** Asks the client's user; undefined if the client cannot ask. @throws AskFirst if the answer to the call has to ask */
  confirm(question: string): Promise<boolean | undefined>
  /** Tells the client that the call is still running, if it wants to know. */
  progress(message: string): void
}

export interface Answer {
  readonly envelope: Success | Failure
  /** The whole result, if it fits the tool's output schema; the envelope may be shortened. */
  readonly structured?: { readonly [name: string]: unknown }
  /** What held the call; undefined if nothing was started. */
  readonly enforced?: Enforced | undefined
}

export interface Served {
  /** Reads policy, revocations, overrides and clock again, and lists only what is granted now. */
  list(): Promise<readonly ServedTool[]>
  /** Undefined for an unknown tool. @param text the arguments as compact JSON */
  call(name: string, text: string, caller: Caller): Promise<Answer | undefined>
  /** Calls back each time another list is served; undefined if it never is another. */
  readonly onChange?: ((changed: () => void) => void) | undefined
}

/** Thrown through a call that has run nothing yet: its answer asks, and the client calls again with what its user said. */
export class AskFirst extends Error {
  readonly question: string

  constructor(question: string) {
    super('a person has to be asked first')
    this.question = question
  }
}

/** How it calls itself. */
export const UNVERIFIED_NAME = 'rlp-unverified'

/** @param names of the folders */
export function unverified(names: string): string {
  return `unverified: the tools of ${names} come from a folder that may change, and no signature of it is checked`
}
