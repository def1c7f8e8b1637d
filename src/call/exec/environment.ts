// Makes the environment of a program: fixed variables, those that the tool lists, and its secrets (docs/running.md).
import { ALWAYS_PASSED, toolEnvironment } from '../../agentcli/environment.ts'
import { withoutKeys } from '../../io/process/without-keys.ts'
import type { RunRefusal } from '../../model/run.ts'
import type { Tool } from '../../model/tools.ts'
import { isForbiddenEnv } from '../../policy/code-variables.ts'
import { secretEnvName } from '../../policy/secret-id.ts'
import { quoteText } from '../../text/quote.ts'
import { needsHandingOver } from '../granted-variables.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/**
 * Why a tool’s variables are refused. Verification of a bundle checks the same; this covers unverified folders, and two names that mean
 * one variable.
 */
export function environmentProblem({ rlp, secrets }: Tool): RunRefusal | undefined {
  const forbidden = rlp.env.find(isForbiddenEnv)
  if (forbidden !== undefined) {
    const message = `Cannot pass on ${quoteText(forbidden)}: it changes which code the program runs`
    return { kind: 'rejected', message, extra: { reason: 'env_not_permitted' } }
  }
  // A secret may not replace a fixed variable: with another PATH the tool would start other programs.
  const taken = new Set([...ALWAYS_PASSED, ...rlp.env])
  for (const id of new Set(secrets)) {
    const name = secretEnvName(id)
    if (isForbiddenEnv(name) || taken.has(name)) {
      const message = `Cannot hand over the secret ${quoteText(id)}: its variable ${quoteText(name)} has another meaning here`
      return { kind: 'rejected', message, extra: { reason: 'secret_not_permitted' } }
    }
    taken.add(name)
  }
  return undefined
}

export interface ExecEnvironment {
  readonly env: Readonly<Record<string, string>>
  /** For the audit line: names only. */
  readonly envKeys: readonly string[]
}

/** The values that a call hands over: variables that need a grant by name, secrets by id. */
export interface HandedOver {
  readonly variables: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
}

/** Takes nothing from `parent` that needs a grant. */
export function execEnvironment(
  { rlp, secrets }: Tool,
  parent: Variables,
  { variables, secrets: values }: HandedOver,
): ExecEnvironment {
  const all = { ...withoutKeys(parent), ...Object.fromEntries(variables) }
  const { env, envKeys } = toolEnvironment(
    all,
    rlp.env.filter(name => !needsHandingOver(name) || variables.has(name)),
  )
  const ids = [...new Set(secrets)]
  const named = ids.flatMap(id => {
    const value = values.get(id)
    return value === undefined ? [] : [[secretEnvName(id), value] as const]
  })
  return { env: { ...env, ...Object.fromEntries(named) }, envKeys: [...envKeys, ...ids.map(secretEnvName)] }
}
