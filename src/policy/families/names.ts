// A family that is granted by name, or all of it.

import { listOrAll } from '../../json/read.ts'
import type { Family, FamilyMembers } from '../../model/policy.ts'
import { quoteText } from '../../text/quote.ts'
import {
  eachOnce,
  grantedEntries,
  inVain,
  namedIn,
  PLAIN_NAMES,
  scopedGrants,
  sharedEntries,
} from './entry-lists.ts'
import type { CapabilityFamily, DenialReason, FamiliesOf } from './family.ts'

type Names = true | readonly string[]

interface NamedAbout extends Pick<CapabilityFamily, 'scope' | 'entries' | 'ceiling' | 'words' | 'imports'> {
  readonly denial: DenialReason
  readonly example: string
}

export function namedFamily<F extends FamiliesOf<Names>>(
  family: F,
  member: FamilyMembers[F],
  { denial, example, ...about }: NamedAbout,
): CapabilityFamily<F, Names> {
  return {
    family,
    member,
    ...about,
    opens: undefined,
    table: {
      none: [],
      isRare: false,
      isListOnly: false,
      read: value => (value === true ? true : grantedEntries(value, about.entries.granted)),
      written: granted => (granted === true ? true : granted.length > 0 && granted),
      sorted: granted => (granted === true ? true : eachOnce(granted)),
      stored: listOrAll,
      grants: granted => scopedGrants(family, granted),
      example: `${family} = ["${example}"]`,
    },
    need: {
      entryFor: scope => ({ entry: scope ?? true, allowHttp: false, same: `${scope ?? true}` }),
      added: (granted, grants) =>
        granted === true || grants.some(({ entry }) => entry === true)
          ? true
          : [...granted, ...namedIn(grants)],
      ...PLAIN_NAMES,
      grantedBy: [family],
      denial: policy => deniedNames(policy[member], denial),
    },
    override: {
      isSaid: ({ keys }) => keys.has(family),
      left(policy, { keys, leaves }) {
        const [own, left] = [policy[member], leaves[member]]
        if (!keys.has(family) || left === true) return own
        return own === true ? left : sharedEntries(own, left)
      },
      inVain: (policy, leaves) => namesInVain(family, policy[member], leaves[member]),
    },
  }
}

/** A need without scope means "all of the family", which only `true` grants. */
export function deniedNames(granted: Names, denial: DenialReason) {
  if (granted === true) return () => undefined
  const entries = new Set(granted)
  return (scope: string | undefined) => (scope !== undefined && entries.has(scope) ? undefined : denial)
}

/** `true` keeps what the policy grants; if that is nothing, the author probably meant a grant. */
export function namesInVain(family: Family, own: Names, left: Names): string[] {
  if (own === true) return []
  if (left === true) return own.length === 0 ? [inVain(family, '= true')] : []
  const granted = new Set(own)
  return left.filter(entry => !granted.has(entry)).map(entry => inVain(family, quoteText(entry)))
}
