// The interface of a method that an MCP server answers. Whatever speaks the protocol has checked the parameters against its schemas.
import type { PendingCalls } from '../pending.ts'
import type { Served } from '../served.ts'

export interface Method {
  /** As the protocol calls it. */
  readonly name: string
  /** Under what the server announces it. */
  readonly capability: string
  /** @throws MethodRefused */
  answer(request: MethodRequest, serving: MethodServing): Promise<MethodAnswer>
}

export type MethodAnswer = Readonly<Record<string, unknown>>

export interface MethodRequest {
  readonly params: Readonly<Record<string, unknown>>
  /** Aborted if the client cancels the request, or disconnects. */
  readonly signal: AbortSignal
  /** Asks the client's user; undefined if the client cannot ask. @throws AskFirst if the answer has to ask */
  confirm(question: string, signal: AbortSignal): Promise<boolean | undefined>
  /** Sends a message that needs no answer. */
  notify(method: 'notifications/progress', params: ProgressParams): void
}

export interface ProgressParams {
  readonly progressToken: string | number
  readonly progress: number
  readonly message: string
}

export interface MethodServing {
  readonly served: Served
  readonly pending: PendingCalls
}

/** An answer of the protocol that is an error. */
export class MethodRefused extends Error {
  readonly is: 'invalid_params' | 'internal_error'

  constructor(is: MethodRefused['is'], message: string) {
    super(message)
    this.is = is
  }
}
