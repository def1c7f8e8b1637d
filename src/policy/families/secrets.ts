// secrets: secrets of the host, by their id.
import { list, text } from '../../json/read.ts'
import {
  eachOnce,
  grantedEntries,
  namedIn,
  PLAIN_ENTRIES,
  PLAIN_NAMES,
  scopedGrants,
  sharedEntries,
} from './entry-lists.ts'
import type { CapabilityFamily } from './family.ts'
import { deniedNames, namesInVain } from './names.ts'

export const secrets: CapabilityFamily<'secrets'> = {
  family: 'secrets',
  member: 'secrets',
  scope: 'name',
  entries: PLAIN_ENTRIES,
  table: {
    none: [],
    isRare: false,
    isListOnly: true,
    read: value => grantedEntries(value, PLAIN_ENTRIES.granted),
    written: granted => granted,
    sorted: granted => eachOnce(granted),
    stored: list(text),
    grants: granted => scopedGrants('secrets', granted),
    example: 'secrets = ["<id>"]',
  },
  need: {
    entryFor: scope => (scope === undefined ? undefined : { entry: scope, allowHttp: false, same: scope }),
    added: (granted, grants) => [...granted, ...namedIn(grants)],
    ...PLAIN_NAMES,
    grantedBy: ['secrets'],
    denial: policy => deniedNames(policy.secrets, 'secret_not_permitted'),
  },
  override: {
    isSaid: ({ keys }) => keys.has('secrets'),
    left: (policy, { keys, leaves }) =>
      keys.has('secrets') ? sharedEntries(policy.secrets, leaves.secrets) : policy.secrets,
    inVain: (policy, leaves) => namesInVain('secrets', policy.secrets, leaves.secrets),
  },
  ceiling: { field: 'allow_caps' },
  words: { may: scope => `may use the secret ${scope}`, whole: undefined, each: undefined, power: 'secret' },
  opens: undefined,
}
