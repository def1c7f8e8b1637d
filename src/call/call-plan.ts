// What a dry run of a call answers, command and function alike.
import type { Failure } from '../contract/envelope.ts'
import type { RunPlan } from '../model/run.ts'
import type { PreparedCall, RefusedCall } from './prepare-call.ts'

/** What would be run, or why nothing would. */
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
  /** What was not checked. */
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
