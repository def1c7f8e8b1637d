// Failures of the caller, not of the tool: it is unknown, took too long, or was stopped (docs/contract.md).
import { type Failure, failure } from './envelope.ts'

/** Without suggestions: a model would call a tool that it was not given. */
export function unknownTool(tool: string): Failure {
  return failure({
    kind: 'tool_not_found',
    message: `Tool '${tool}' is not available in this session.`,
    tool,
  })
}

/** @param seconds the time that the tool had */
export function timedOut(tool: string, seconds: number): Failure {
  return failure({
    kind: 'timeout',
    message: `Tool '${tool}' exceeded the ${seconds}s execution budget.`,
    tool,
  })
}

/**
 * The call was stopped. Not retryable: the same call would be stopped again.
 * @param killedBy who ended the running call; absent if it had not begun
 */
export function cancelled(tool: string, killedBy?: 'user'): Failure {
  return failure({
    kind: 'execution_error',
    message: `Tool '${tool}' was cancelled.`,
    retryable: false,
    tool,
    extra: { killed_by: killedBy },
  })
}
