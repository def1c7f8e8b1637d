// What options say of a new signer beside the key, as typed.
import { type ArgsOf, camelCase, type Together } from '../cli/option.ts'
import { own } from '../model/own.ts'
import type { AnchorAsked, GivenBy } from '../trust-policy/anchor-fields/field.ts'
import { textsTyped } from '../trust-policy/anchor-fields/identity.ts'
import { ANCHOR_FIELDS } from '../trust-policy/anchor-fields/index.ts'
import { refusing } from './rule-options.ts'

type Fields = typeof ANCHOR_FIELDS
type OptionsOf<F> = F extends { asked: { options: infer O } } ? O : never
type AnchorOptionTable = Together<{ [F in keyof Fields]: OptionsOf<Fields[F]> }[keyof Fields]>

/** By its flag, each option of a field that has some. */
export const ANCHOR_OPTIONS: AnchorOptionTable = Object.assign(
  {},
  ...Object.values(ANCHOR_FIELDS).map(({ asked }) => asked?.options),
)

type Args = ArgsOf<typeof ANCHOR_OPTIONS, []>

/** @param isOpen what is said of an identity may be a part of one, which {@link identityTyped} gives */
export function anchorFromOptions(args: Args, isOpen = false): Omit<AnchorAsked, 'key' | 'isFurtherKey'> {
  const said = Object.entries(ANCHOR_FIELDS).flatMap(([name, { asked }]) => {
    if (asked === undefined || (isOpen && name === 'identity')) return []
    const value = asked.typed(givenIn(args), refusing)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(said)
}

/** What was typed of an identity. */
export function identityTyped(args: Args): ReturnType<typeof textsTyped> {
  return textsTyped(givenIn(args))
}

function givenIn(args: Args): GivenBy {
  return flag => own(args, camelCase(flag)) as ReturnType<GivenBy>
}
