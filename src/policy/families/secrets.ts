// secrets: secrets of the host, by their id.
import { addedToList, listTable, PLAIN_ENTRIES, PLAIN_NAMES, sharedEntries } from './entry-lists.ts'
import type { CapabilityFamily } from './family.ts'
import { deniedNames, namesInVain } from './names.ts'

export const secrets: CapabilityFamily<'secrets'> = {
  family: 'secrets',
  member: 'secrets',
  scope: 'name',
  entries: PLAIN_ENTRIES,
  table: listTable('secrets', 'id'),
  need: {
    entryFor: scope => (scope === undefined ? undefined : { entry: scope, allowHttp: false, same: scope }),
    added: addedToList,
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
  ceiling: { field: 'allow_caps', secretPlace: () => undefined },
  words: {
    may: scope => `may use the secret ${scope}`,
    whole: undefined,
    each: undefined,
    power: 'secret',
    reach: undefined,
    broad: undefined,
    synonyms: 'credential credentials token tokens key keys vault',
  },
  opens: undefined,
  imports: { runloop: ['resolve_secret'], wasi: undefined },
}
