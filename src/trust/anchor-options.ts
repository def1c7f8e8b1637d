// What options say of a new signer beside the key, as typed.
import { type ArgsOf, camelCase } from '../cli/option.ts'
import type { AnchorAsked } from '../format/trust/anchor-fields/field.ts'
import { ANCHOR_FIELDS } from '../format/trust/anchor-fields/index.ts'
import { own } from '../model/own.ts'
import { refusing } from './rule-options.ts'

type Fields = typeof ANCHOR_FIELDS
type Given = boolean | string | readonly string[]
type Flag<F> = F extends { asked: { flag: infer N extends string } } ? N : never
type OptionOf<F> = F extends { asked: { option: infer O } } ? O : never

/** By its flag, the option of each field that has one. */
export const ANCHOR_OPTIONS = Object.fromEntries(
  Object.values(ANCHOR_FIELDS).flatMap(({ asked }) =>
    asked === undefined ? [] : [[asked.flag, asked.option]],
  ),
) as { readonly [F in keyof Fields as Flag<Fields[F]>]: OptionOf<Fields[F]> }

export function anchorFromOptions(
  args: ArgsOf<typeof ANCHOR_OPTIONS, []>,
): Omit<AnchorAsked, 'key' | 'isFurtherKey'> {
  const said = Object.entries(ANCHOR_FIELDS).flatMap(([name, { asked }]) => {
    if (asked === undefined) return []
    const value = asked.typed(own(args, camelCase(asked.flag)) as Given, refusing(asked.flag))
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(said)
}
