// Capability strings, `family` or `family:scope`.

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
  /** Undefined if only the family is named. */
  readonly scope: string | undefined
}

/** Families that are switches: they have no scope. */
const SWITCHES: ReadonlySet<string> = new Set(['time', 'model'])

export function readCapability(text: string): Capability | { readonly problem: string } {
  const [, family = '', mark, scope] = /^([^:.]*)(?:([:.])(.*))?$/s.exec(text) ?? []
  if (!isFamily(family)) {
    if (text.trim() === '') return { problem: 'it is empty' }
    const [foreign] = /[^\x00-\x7f]/u.exec(family) ?? []
    const odd = foreign?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    const because = odd === undefined ? '' : `: it has the character U+${odd}, which is not ASCII`
    return { problem: `its family is not one of ${FAMILIES.join(', ')}${because}` }
  }
  // The policy document writes knowledge-base grants with a dot; no other family has one.
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
