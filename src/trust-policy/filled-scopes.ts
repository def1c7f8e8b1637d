// The scopes of a rule in which the name of an agent was put: for people, who see a rule with `{agent}` in the file.
import type { Ceiling } from '../model/trust.ts'
import { filledCapability } from './rule-fields/allow-caps.ts'
import { hasBrace } from './rule-fields/field.ts'

/** The scopes of a rule that have `{agent}`, for the agents of one name, as capability strings. */
export function filledScopes({ allowCaps, secretsTo }: Ceiling, name: string): readonly string[] {
  const scopes = allowCaps === 'any' ? [] : allowCaps
  const secrets = Object.keys(secretsTo ?? {}).map(secret => `secrets:${secret}`)
  const filled = [...scopes, ...secrets].filter(hasBrace).map(text => filledCapability(text, name))
  return [...new Set(filled)]
}
