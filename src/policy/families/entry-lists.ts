// What several families have in common: entries of lists, and sentences about overrides.
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
