// A family that is on or off.

import { flag } from '../../json/read.ts'
import type { FamilyMembers } from '../../model/policy.ts'
import { inVain, PLAIN_ENTRIES, PLAIN_NAMES, wholeFamily } from './entry-lists.ts'
import type { CapabilityFamily, FamiliesOf } from './family.ts'

interface SwitchAbout extends Pick<CapabilityFamily, 'imports'> {
  readonly may: string
  readonly whole: string
  readonly synonyms: string | undefined
  /** The word of `secrets_to` for it. */
  readonly secretPlace: string | undefined
}

export function switchOf<F extends FamiliesOf<boolean>>(
  family: F,
  member: FamilyMembers[F],
  { may, whole, synonyms, secretPlace, imports }: SwitchAbout,
): CapabilityFamily<F, boolean> {
  return {
    family,
    member,
    scope: 'none',
    entries: PLAIN_ENTRIES,
    table: {
      none: false,
      isRare: false,
      isListOnly: false,
      read: value => value === true,
      written: granted => granted,
      sorted: granted => granted,
      stored: flag,
      grants: granted => (granted ? [wholeFamily(family)] : []),
      example: `${family} = true`,
    },
    need: {
      entryFor: () => ({ entry: true, allowHttp: false, same: 'true' }),
      added: () => true,
      ...PLAIN_NAMES,
      grantedBy: [family],
      denial: policy => () => (policy[member] ? undefined : 'cap_missing'),
    },
    override: {
      isSaid: ({ keys }) => keys.has(family),
      left: (policy, { keys, leaves }) => policy[member] && (!keys.has(family) || leaves[member]),
      inVain: (policy, leaves) => (leaves[member] && !policy[member] ? [inVain(family, '= true')] : []),
    },
    ceiling: { field: 'allow_caps', secretPlace: () => secretPlace },
    words: {
      may: () => may,
      whole,
      each: undefined,
      power: 'other',
      reach: undefined,
      broad: undefined,
      synonyms,
    },
    opens: undefined,
    imports,
  }
}
