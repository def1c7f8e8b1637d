// Corrects an entry or a family that does not exist to the one that the author meant.
import type { Family } from '../model/policy.ts'
import { probablyMeant } from '../text/did-you-mean.ts'
import { CAPABILITY_FAMILIES, capabilityFamily, FAMILIES } from './families/index.ts'

/** The entry that grants what an invalid one was written for; undefined if it cannot be told. */
export function meantEntry(key: Family, entry: string): string | undefined {
  const text = entry.trim()
  const { entries } = capabilityFamily(key)
  const meant = entries.meant(text)
  const isValid = meant !== entry && meant !== '' && !/[\x00-\x1f\x7f-\x9f{}]/.test(meant)
  return isValid && entries.problem(meant) === undefined ? meant : undefined
}

/** Names of the families in other systems. */
const SYNONYMS: ReadonlyMap<string, Family> = new Map(
  CAPABILITY_FAMILIES.flatMap(
    ({ family, words }) => words.synonyms?.split(' ').map(name => [name, family] as const) ?? [],
  ),
)

/** Undefined if it resembles none. */
export function meantFamily(name: string): Family | undefined {
  const meant = SYNONYMS.get(name.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? probablyMeant(name, FAMILIES)
  return meant as Family | undefined
}
