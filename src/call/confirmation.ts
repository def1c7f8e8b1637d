// `security.confirm_external_actions` of the runtime, from its variable: whether tools with requires_confirmation are asked about.
import { quoted } from '../format/text/printable.ts'
import { UsageError } from '../model/usage-error.ts'

export const CONFIRM_VARIABLE = 'RUNLOOP__SECURITY__CONFIRM_EXTERNAL_ACTIONS'

/**
 * True unless it is switched off.
 *
 * @throws UsageError for a value that is neither: a typing error must not decide
 */
export function asksForConfirmation(env: Readonly<Record<string, string | undefined>>): boolean {
  const value = env[CONFIRM_VARIABLE]
  if (value === undefined || value === 'true') return true
  if (value === 'false') return false
  throw new UsageError(`Cannot use ${CONFIRM_VARIABLE}: ${quoted(value)} is neither true nor false`, {
    field: CONFIRM_VARIABLE,
    hint: 'Write true, or leave it out, to be asked; false says yes to every call beforehand',
  })
}
