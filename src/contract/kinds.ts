// The eight kinds of failure and their meaning (docs/contract.md, "The envelope").
import type { FailureKind } from '../model/error.ts'

export const KINDS: Readonly<Record<FailureKind, string>> = {
  invalid_args: 'an argument is missing, malformed, or does not fit the others',
  rejected: 'a policy does not allow it',
  user_denied: 'a person was asked and said no',
  timeout: 'the tool ran out of time',
  execution_error: 'the tool ran and failed',
  not_found: 'a file or folder that was named is not there',
  unavailable: 'the tool is there and cannot run now',
  tool_not_found: 'there is no tool of this name',
}

export function isFailureKind(value: unknown): value is FailureKind {
  return typeof value === 'string' && Object.hasOwn(KINDS, value)
}
