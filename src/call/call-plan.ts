// The answer of a dry run of a call. The command prints what the function returns.
import type { Failure } from '../contract/envelope.ts'
import type { RunPlan } from '../model/run.ts'
import type { PreparedCall, RefusedCall } from './prepare-call.ts'

/** The program or request that a call would start, or the reason why it would start none. */
export type CallPlan = PlannedCall | { readonly is: 'refused'; readonly envelope: Failure }

export interface PlannedCall {
  readonly is: 'planned'
  /** Id of the tool. */
  readonly tool: string
  /** As they would be sent. */
  readonly arguments: unknown
  readonly requiresConfirmation: boolean
  /** The program and its arguments, or the request; no secret is in it. */
  readonly plan: RunPlan['detail']
  /** The checks that were left out. */
  readonly warnings: readonly string[]
}

export function planOf(prepared: PreparedCall | RefusedCall): CallPlan {
  return 'failure' in prepared ? { is: 'refused', envelope: prepared.failure } : plannedCall(prepared)
}

export function plannedCall({ tool, input, plan, warnings }: PreparedCall): PlannedCall {
  return {
    is: 'planned',
    tool: tool.id,
    arguments: input,
    requiresConfirmation: tool.requiresConfirmation,
    plan: plan.detail,
    warnings,
  }
}
