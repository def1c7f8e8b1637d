// The families of knowledge bases, which are granted by domain.
import type { FamilyMembers } from '../../model/policy.ts'
import { withoutSpace } from '../host.ts'
import { PLAIN_ENTRIES } from './entry-lists.ts'
import { namedFamily } from './names.ts'

export function knowledge<F extends 'kb_read' | 'kb_write'>(
  family: F,
  member: FamilyMembers[F],
  verb: 'read' | 'write',
) {
  const all = `${verb} every knowledge base`
  return namedFamily(family, member, {
    scope: 'name',
    entries: { ...PLAIN_ENTRIES, allowsDot: true, granted: written => withoutSpace(written) || undefined },
    denial: 'namespace_not_permitted',
    example: '<domain>',
    ceiling: { field: 'allow_caps', secretPlace: () => (verb === 'write' ? family : undefined) },
    words: {
      may: scope => (scope === undefined ? `may ${all}` : `may ${verb} the knowledge base ${scope}`),
      whole: `${verb}s every knowledge base`,
      each: `${verb}s the knowledge base `,
      power: verb,
      reach: undefined,
      broad: {
        does: `${verb} every domain of the knowledge base`,
        fix: `Name the domains, for example ${family} = ["contacts"]`,
      },
      synonyms: undefined,
    },
    imports: { runloop: [family], wasi: undefined },
  })
}
