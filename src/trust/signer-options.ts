// The options that describe a new signer and the rule for one, as typed, and the question whether it may be granted: a person has to review
// what a bundle proposes, and what is wide.

import type { GlobalArgs, Io } from '../cli/command.ts'
import { mayAsk, type OpenPrompter, refusedToWrite, saysYes } from '../cli/interactive.ts'
import { type ArgsOf, camelCase, type Together } from '../cli/option.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { quoted } from '../text/printable.ts'
import type { AnchorRequest, FlagValues } from '../trust-policy/anchor-fields/field.ts'
import { textsTyped } from '../trust-policy/anchor-fields/identity.ts'
import { ANCHOR_FIELDS } from '../trust-policy/anchor-fields/index.ts'
import type { Refuse } from '../trust-policy/rule-fields/field.ts'
import { RULE_FIELDS, type RuleRequest } from '../trust-policy/rule-fields/index.ts'

type AnchorFields = typeof ANCHOR_FIELDS
type OptionsOf<F> = F extends { asked: { options: infer O } } ? O : never
type AnchorOptionTable = Together<
  { [F in keyof AnchorFields]: OptionsOf<AnchorFields[F]> }[keyof AnchorFields]
>

/** By its flag, each option of a field that has some. */
export const ANCHOR_OPTIONS: AnchorOptionTable = Object.assign(
  {},
  ...Object.values(ANCHOR_FIELDS).map(({ asked }) => asked?.options),
)

type Args = ArgsOf<typeof ANCHOR_OPTIONS, []>

/** @param isOpen what is said of an identity may be a part of one, which {@link identityTyped} gives */
export function anchorFromOptions(args: Args, isOpen = false): Omit<AnchorRequest, 'key' | 'isFurtherKey'> {
  const said = Object.entries(ANCHOR_FIELDS).flatMap(([name, { asked }]) => {
    if (asked === undefined || (isOpen && name === 'identity')) return []
    const value = asked.typed(flagsIn(args), refusing)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(said)
}

/** What was typed of an identity. */
export function identityTyped(args: Args): ReturnType<typeof textsTyped> {
  return textsTyped(flagsIn(args))
}

function flagsIn(args: Args): FlagValues {
  return flag => own(args, camelCase(flag)) as ReturnType<FlagValues>
}

type RuleFields = typeof RULE_FIELDS

/** By its flag, the option of each field of a rule. */
export const RULE_OPTIONS = Object.fromEntries(
  Object.values(RULE_FIELDS).map(({ flag, option }) => [flag, option]),
) as { readonly [F in keyof RuleFields as RuleFields[F]['flag']]: RuleFields[F]['option'] }

/** Undefined if no option is about a rule. */
export function ruleFromOptions(args: ArgsOf<typeof RULE_OPTIONS, []>): RuleRequest | undefined {
  const said = Object.entries(RULE_FIELDS).flatMap(([name, { flag, typed: read }]) => {
    const value = read(own(args, camelCase(flag)) as readonly string[], refusing(flag))
    return value === undefined ? [] : [[name, value]]
  })
  return said.length === 0 ? undefined : (Object.fromEntries(said) as RuleRequest)
}

/** @param flag without its dashes */
function refusing(flag: string): Refuse {
  return (problem, text) => {
    const which = text === undefined ? '' : ` ${quoted(text)}`
    return new UsageError(`Cannot use --${flag}${which}: ${problem}`, { field: flag })
  }
}

/** @param shown the change, and what follows from it */
export async function confirmed(
  shown: readonly string[],
  { name, why }: { readonly name: string; readonly why: string },
  { json }: GlobalArgs,
  io: Io,
  open: OpenPrompter,
): Promise<void> {
  const doing = `add "${name}"`
  if (!mayAsk(io, { json, nonInteractive: false })) {
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: ${why}, and no person can be asked`, {
      hint: 'Look at it with --dry-run, then repeat with --yes',
    })
  }
  const prompter = await open(doing, io)
  prompter.note(shown.join('\n'), 'What is written, and what follows')
  if (!(await saysYes(prompter, 'Let the signer grant this?'))) throw refusedToWrite(doing)
}
