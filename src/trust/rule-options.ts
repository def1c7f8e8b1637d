// The rule for a signer, from options as typed.

import { type ArgsOf, camelCase } from '../cli/option.ts'
import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { quoted } from '../text/printable.ts'
import type { Refuse } from '../trust-policy/rule-fields/field.ts'
import { RULE_FIELDS, type RuleRequest } from '../trust-policy/rule-fields/index.ts'

type Fields = typeof RULE_FIELDS

/** By its flag, the option of each field of a rule. */
export const RULE_OPTIONS = Object.fromEntries(
  Object.values(RULE_FIELDS).map(({ flag, option }) => [flag, option]),
) as { readonly [F in keyof Fields as Fields[F]['flag']]: Fields[F]['option'] }

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
