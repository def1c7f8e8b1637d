// The outcome of a call → the same without secrets. Text of rlp's own is treated apart from a tool's: a secret that looks like a count or
// a word of rlp's must not change what the record says.
import type { Envelope, Failure } from '../contract/envelope.ts'
import type { RunFacts, RunPlan } from '../model/run.ts'
import type { SecretMask } from '../secret/secret-mask.ts'

/** Half a secret at the cut is masked too. */
export function maskedText(text: string, isCut: boolean, mask: SecretMask): string {
  return isCut ? mask.cutText(text) : mask.text(text)
}

/** A tool's answer, including its numbers and names of members. Kind and tool are not the tool's own text. */
export function maskedAnswer(envelope: Envelope, mask: SecretMask): Envelope {
  const { ok, tool } = envelope
  const fixed = { ok, ...(tool !== undefined && { tool }), ...(!envelope.ok && { kind: envelope.kind }) }
  // Spread creates members; an assignment would follow a `__proto__` from the tool.
  return { ...(mask.value(envelope) as Envelope), ...fixed } as Envelope
}

/** A failure of rlp's own: only its texts, which may quote, and nothing that programs read. */
export function maskedFailure(failure: Failure, mask: SecretMask): Failure {
  const { kind, tool, reason } = failure
  const fixed = { kind, ...(tool !== undefined && { tool }), ...(reason !== undefined && { reason }) }
  return { ...texts(failure, mask), ...fixed }
}

export function maskedPlan(plan: RunPlan, mask: SecretMask): RunPlan {
  const { envKeys } = plan
  return { ...texts(plan, mask), envKeys }
}

export function maskedFacts(facts: RunFacts, mask: SecretMask): RunFacts {
  return texts(facts, mask)
}

/** An unexpected error: its message may quote the runner's input. */
export function maskedError(error: unknown, mask: SecretMask): unknown {
  if (!(error instanceof Error)) return error
  const { stack } = error
  error.message = mask.text(error.message)
  if (stack !== undefined) error.stack = mask.text(stack)
  return error
}

/** The same value with its texts masked, at any depth. Safe to recurse, because the value is rlp's own. */
function texts<T>(value: T, mask: SecretMask): T {
  return masked(value, mask) as T
}

function masked(value: unknown, mask: SecretMask): unknown {
  if (typeof value === 'string') return mask.text(value)
  if (Array.isArray(value)) return value.map(item => masked(item, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, mask)]))
}
