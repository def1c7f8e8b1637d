// Checks one entry of policy.caps, and corrects one that grants nothing to the entry that its author meant: the program of a whole command line, the
// plain path of a folder, a misspelt family.
import type { Family, Policy, PolicyValue } from '../model/policy.ts'
import { probablyMeant } from '../text/did-you-mean.ts'
import { quoteText } from '../text/quote.ts'
import type { CapabilityFamily, EntryProblem } from './families/family.ts'
import {
  CAPABILITY_FAMILIES,
  capabilityFamily,
  FAMILIES,
  grantedOf,
  isFamily,
  policyOf,
} from './families/index.ts'

/** Undefined if the entry is valid in the list at `key`. */
export function entryProblem(key: Family, entry: string): EntryProblem | undefined {
  const problem = textProblem(entry) ?? capabilityFamily(key).entries.problem(entry)
  const meant = problem && meantEntry(key, entry)
  if (problem === undefined || meant === undefined) return problem
  return { message: problem.message, fix: `Write ${quoteText(meant, 100)}`, meant }
}

/** Some readers trim an entry, others do not; a C library ends it at a NUL. */
function textProblem(entry: string): EntryProblem | undefined {
  if (/[\x00-\x1f\x7f-\x9f]/.test(entry))
    return { message: `${quoteText(entry)} has a control character`, fix: 'Write the entry without it' }
  // In a trust policy `{agent}` stands for a name. What a bundle asks for is always written out.
  if (/[{}]/.test(entry))
    return {
      message: `${quoteText(entry)} has a brace`,
      fix: 'Write the whole name or path, without { and }',
    }
  if (entry.trim() === '') return { message: 'The entry is empty', fix: 'Remove it or name what is granted' }
  if (entry.trim() === entry) return undefined
  const message = `${quoteText(entry)} has white space around it, which some runtimes drop and others compare`
  return { message, fix: 'Write it without' }
}

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

/** Of a line the program is needed, and of a folder its plain path. */
export function meantCapability(capability: string): string {
  const colon = capability.indexOf(':')
  const family = capability.slice(0, Math.max(colon, 0))
  const scope = capability.slice(colon + 1)
  if (scope === '' || !isFamily(family)) return capability
  const plain = capabilityFamily(family).entries.plain(scope)
  return plain === scope ? capability : `${family}:${plain}`
}

/** The policy as it is when what `caps/plain-path` and `caps/entry` say was done: an entry that grants nothing is left out. */
export function meantPolicy(policy: Policy): Policy {
  return {
    ...policy,
    ...policyOf(family =>
      family.table.read(meantValue(family, family.table.written(grantedOf(policy, family)))),
    ),
  }
}

function meantValue(family: CapabilityFamily, value: PolicyValue): PolicyValue {
  if (typeof value === 'boolean') return value
  if ('hosts' in value) return { ...value, hosts: grantingEntries(family, value.hosts) }
  return grantingEntries(family, value)
}

function grantingEntries({ family, entries }: CapabilityFamily, list: readonly string[]): string[] {
  const meant = list.map(entries.plain).flatMap(entry => {
    const problem = entryProblem(family, entry)
    return problem === undefined ? entry : (problem.meant ?? [])
  })
  return [...new Set(meant)]
}
