// Capability strings, `family` or `family:scope` (DESIGN §3.4; systems reference §3c no. 26).

export const FAMILIES = [
  'fs',
  'fs_ro',
  'fs_rw',
  'net',
  'time',
  'kb_read',
  'kb_write',
  'secrets',
  'model',
  'exec',
] as const

export type Family = (typeof FAMILIES)[number]

export interface Capability {
  readonly family: Family
  /** Undefined when only the family is named. */
  readonly scope: string | undefined
}

/** Families that are switches: a scope means nothing to them. */
const SWITCHES: ReadonlySet<string> = new Set(['time', 'model'])

export function readCapability(text: string): Capability | { readonly problem: string } {
  const [, family = '', mark, scope] = /^([^:.]*)(?:([:.])(.*))?$/s.exec(text) ?? []
  if (!isFamily(family)) {
    return { problem: text.trim() === '' ? 'it is empty' : `its family is none of ${FAMILIES.join(', ')}` }
  }
  // The policy document spells knowledge-base grants with a dot; no other family does.
  if (mark === '.' && !family.startsWith('kb_')) return { problem: `write ${family}: and the scope` }
  if (scope === undefined) return { family, scope: undefined }
  if (scope.trim() === '') return { problem: 'its scope is empty' }
  if (scope.includes('*')) return { problem: 'wildcards are not supported' }
  if (SWITCHES.has(family)) return { problem: `${family} takes no scope` }
  return { family, scope }
}

function isFamily(text: string): text is Family {
  return (FAMILIES as readonly string[]).includes(text)
}
