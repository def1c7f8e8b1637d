// The rule for a signer: from options as typed, and from the grants that one bundle asks for.

import { type ArgsOf, camelCase } from '../cli/option.ts'
import { quoted } from '../format/text/printable.ts'
import type { Refuse } from '../format/trust/rule-fields/field.ts'
import { RULE_FIELDS, type RuleRequest, ruleAskedBy, unsaidBy } from '../format/trust/rule-fields/index.ts'
import { referenceText } from '../format/version/reference.ts'
import type { Agent } from '../model/agent.ts'
import { own } from '../model/own.ts'
import type { Ceiling } from '../model/trust.ts'
import { UsageError } from '../model/usage-error.ts'

type Fields = typeof RULE_FIELDS

/** By its flag, the option of each field of a rule. */
export const RULE_OPTIONS = Object.fromEntries(
  Object.values(RULE_FIELDS).map(({ flag, option }) => [flag, option]),
) as { readonly [F in keyof Fields as Fields[F]['flag']]: Fields[F]['option'] }

/** `--allow-caps`, `--agent` … */
export const RULE_FLAGS: readonly string[] = Object.keys(RULE_OPTIONS).map(flag => `--${flag}`)

/** Undefined if no option is about a rule. */
export function ruleFromOptions(args: ArgsOf<typeof RULE_OPTIONS, []>): RuleRequest | undefined {
  const said = Object.entries(RULE_FIELDS).flatMap(([name, { flag, typed: read }]) => {
    const value = read(own(args, camelCase(flag)) as readonly string[], refusing(flag))
    return value === undefined ? [] : [[name, value]]
  })
  return said.length === 0 ? undefined : (Object.fromEntries(said) as RuleRequest)
}

/** @param flag without its dashes */
export function refusing(flag: string): Refuse {
  return (problem, text) => {
    const which = text === undefined ? '' : ` ${quoted(text)}`
    return new UsageError(`Cannot use --${flag}${which}: ${problem}`, { field: flag })
  }
}

/** What a bundle asks for, and where a rule says something else: sentences. */
export interface BundleRequest {
  readonly rule: RuleRequest
  readonly unsaid: readonly string[]
}

/**
 * Exactly what policy.caps asks for, for exactly this agent; never `any`.
 * @param ruleThere the rule that an agent has already
 */
export function ruleForBundle(
  { manifest, policy }: Agent,
  ruleThere: (agent: string) => Ceiling | undefined,
): BundleRequest {
  if (manifest?.name === undefined || policy === undefined)
    throw new TypeError('a sound bundle has a name and a policy')
  const agent = referenceText({ name: manifest.name, variant: manifest.variant })
  return { rule: ruleAskedBy(policy, agent), unsaid: unsaidBy(policy, ruleThere(agent)) }
}
