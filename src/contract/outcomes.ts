// What a caller says when there is no answer: the tool is unknown, took too long, or was stopped (systems reference §4a "Error mapping").
import { type Failure, failure } from './envelope.ts'

/** Never with suggestions: a model would call what it was not given. */
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
 * Somebody stopped it: the same call would do the same again.
 *
 * @param killedBy who ended a run that was under way; nothing where there was nothing to end
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
