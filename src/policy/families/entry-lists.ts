// What several families have in common: entries of lists, and sentences about overrides.
import { list, text } from '../../json/read.ts'
import type { Family } from '../../model/policy.ts'
import { quoteText } from '../../text/quote.ts'
import type { CapabilityFamily, EntryProblem, Grant, PolicyGrant } from './family.ts'

export const PLAIN_ENTRIES = {
  allowsDot: false,
  problem(entry: string): EntryProblem | undefined {
    if (entry.includes('*')) return { message: `${quoteText(entry)} has a wildcard`, fix: 'Name each one' }
    return undefined
  },
  granted: (written: string): string | undefined => written,
  spelled: (entry: string) => entry,
  plain: (entry: string) => entry,
  meant: (entry: string) => entry,
} as const satisfies CapabilityFamily['entries']

/** The entries that new grants name. */
export function namedIn(grants: readonly Grant[]): string[] {
  return grants.flatMap(({ entry }) => (entry === true ? [] : entry))
}

export function grantedEntries(
  value: unknown,
  granted: (written: string) => string | undefined,
): readonly string[] {
  return Array.isArray(value) ? (value as string[]).flatMap(entry => granted(entry) ?? []) : []
}

export function wholeFamily(family: Family): PolicyGrant {
  return { family, scope: undefined, text: family }
}

export function scopedGrants(family: Family, list: true | readonly string[]): PolicyGrant[] {
  if (list === true) return [wholeFamily(family)]
  return list.map(scope => ({ family, scope, text: `${family}:${scope}` }))
}

/** The key of a family whose entries are a list and never all that it could name. */
export function listTable(family: Family, placeholder: string, isRare = false) {
  return {
    none: [],
    isRare,
    isListOnly: true,
    read: value => grantedEntries(value, PLAIN_ENTRIES.granted),
    written: granted => granted,
    sorted: eachOnce,
    stored: list(text),
    grants: granted => scopedGrants(family, granted),
    example: `${family} = ["<${placeholder}>"]`,
  } satisfies CapabilityFamily<Family, readonly string[]>['table']
}

/** More entries at the end of a list. */
export function addedToList(granted: readonly string[], grants: readonly Grant[]): readonly string[] {
  return [...granted, ...namedIn(grants)]
}

/** For families whose entries are compared as they are written. All of the family grants each of them. */
export const PLAIN_NAMES = {
  nameOf: (entry: string | undefined) => (entry === undefined ? '' : `:${entry}`),
  namesFor: (scope: string | undefined) => (scope === undefined ? [''] : ['', `:${scope}`]),
} as const

export function inVain(family: Family, entry: string, more = ''): string {
  const why = 'policy.caps does not grant it, and an override never grants'
  return `${family} ${entry} has no effect: ${why}${more}`
}

export function sharedEntries(own: readonly string[], left: readonly string[]): readonly string[] {
  const kept = new Set(left)
  return own.filter(entry => kept.has(entry))
}

export function eachOnce(entries: readonly string[]): string[] {
  return [...new Set(entries)].sort()
}
