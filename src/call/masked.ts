// What a call came to → the same without secrets. What rlp writes itself is told apart from what a tool wrote: a secret that looks like a
// count or a word of rlp's must not change what the record says.
import type { Envelope, Failure } from '../contract/envelope.ts'
import type { SecretMask } from '../format/secret-mask.ts'
import type { RunFacts, RunPlan } from '../model/run.ts'

/** Half a secret at the end of what was read is none the less a secret. */
export function maskedText(text: string, isCut: boolean, mask: SecretMask): string {
  return isCut ? mask.cutText(text) : mask.text(text)
}

/** An answer of a tool's: numbers and names of members as well. Kind and tool are no texts of its. */
export function maskedAnswer(envelope: Envelope, mask: SecretMask): Envelope {
  const { ok, tool } = envelope
  const fixed = { ok, ...(tool !== undefined && { tool }), ...(!envelope.ok && { kind: envelope.kind }) }
  // Spread makes members; assigning would follow a `__proto__` of the tool's.
  return { ...(mask.value(envelope) as Envelope), ...fixed } as Envelope
}

/** A failure that rlp wrote: its texts, which may quote, and nothing that programs go by. */
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

/** An error that nobody foresaw: its words may quote what the runner was given. */
export function maskedError(error: unknown, mask: SecretMask): unknown {
  if (!(error instanceof Error)) return error
  const { stack } = error
  error.message = mask.text(error.message)
  if (stack !== undefined) error.stack = mask.text(stack)
  return error
}

/** The same value with its texts masked, at any depth; it is rlp's own, and as deep as rlp makes it. */
function texts<T>(value: T, mask: SecretMask): T {
  return masked(value, mask) as T
}

function masked(value: unknown, mask: SecretMask): unknown {
  if (typeof value === 'string') return mask.text(value)
  if (Array.isArray(value)) return value.map(item => masked(item, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, mask)]))
}
