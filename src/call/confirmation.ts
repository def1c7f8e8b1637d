// `security.confirm_external_actions`, from the runtime's variable and the operator's config.toml: whether a person is asked about tools that
// need a confirmation.

import { operatorConfig } from '../io/config.ts'
import { runloopHome } from '../io/home.ts'
import type { Setting } from '../io/setting.ts'
import type { Config } from '../model/config.ts'
import { UsageError } from '../model/error.ts'
import { quoted } from '../text/printable.ts'

export const CONFIRM_VARIABLE = 'RUNLOOP__SECURITY__CONFIRM_EXTERNAL_ACTIONS'

/**
 * True unless `--yes`, the variable or a config.toml has said yes beforehand, and no config.toml says that a person is asked.
 *
 * @throws UsageError for a variable that is neither, as a typing error must not decide, and as {@link refuseYes}
 */
export async function asksForConfirmation(
  { yes }: { readonly yes: boolean },
  { env }: Pick<Setting, 'env'>,
): Promise<boolean> {
  const variable = variableIn(env)
  const config = await operatorConfig({ home: runloopHome(env) })
  refuseYes(yes, config)
  const stated = [variable, config.confirmExternalActions?.value]
  // Each of them can tighten.
  return stated.includes(true) || (!yes && !stated.includes(false))
}

/** @throws UsageError for a yes beforehand where a config.toml says that a person is asked */
export function refuseYes(yes: boolean, { confirmExternalActions: stated }: Config): void {
  if (!yes || stated?.value !== true) return
  throw new UsageError(`Cannot say yes beforehand: ${stated.from} says confirm_external_actions = true`, {
    field: 'yes',
    hint: 'Answer at a terminal: the operator of this host wants a person to be asked at each call',
  })
}

function variableIn(env: Setting['env']): boolean | undefined {
  const value = env[CONFIRM_VARIABLE]
  if (value === undefined) return undefined
  if (value === 'true' || value === 'false') return value === 'true'
  throw new UsageError(`Cannot use ${CONFIRM_VARIABLE}: ${quoted(value)} is neither true nor false`, {
    field: CONFIRM_VARIABLE,
    hint: 'Write true, or leave it out, to be asked; false says yes to every call beforehand',
  })
}
