// Powers → a section: what the bundle may do, the most dangerous first. Twenty-five tools of one host are one line that opens.
import { plural } from '../../../text/words.ts'
import type { Item, Part, Section, Words } from '../page.ts'
import { keyOf, type Power, type PowerKind, type PowerUse } from '../power.ts'
import { IN_CLEAR } from '../power-places.ts'
import { BEGINS, besideWords, fewNames, powerWords } from '../power-words.ts'
import { counted } from '../words.ts'

export function maySection(
  powers: readonly Power[],
  before: readonly Power[] | undefined,
  verdict: string,
): Section {
  const old = before && new Map(before.map(power => [keyOf(power), power]))
  const isGiven = verdict === 'trusted'
  const isShown = isGiven || verdict === 'source'
  const starts = before === undefined && powers.some(({ kind }) => STARTED.includes(kind))
  const note = isShown ? starts && ENFORCED : `Nothing of this is granted while the verdict is ${verdict}.`
  return {
    id: 'may',
    title: isGiven ? 'What it may do' : 'What it asks for',
    note: note === false ? undefined : [note],
    items:
      powers.length === 0
        ? [{ mark: 'good', words: ['It has no permissions, and no tool that may run.'] }]
        : powers.map(power => powerItem(power, old && { power: old.get(keyOf(power)) })),
  }
}

/** Powers of programs that are started. */
const STARTED: readonly PowerKind[] = ['code', 'every program', 'program']

const ENFORCED =
  'A Linux host can hold its programs to these files and hosts, and within limits; not to which programs they start.'

const DANGEROUS: readonly PowerKind[] = ['unknown', 'code', 'every program']

/** Whether a person should look at it before anything else. */
export function isDangerous({ kind, name, grants }: Power): boolean {
  return DANGEROUS.includes(kind) || name.startsWith(IN_CLEAR) || grants.includes('net:allow_http')
}

/** Ids of the tools that use something dangerous. */
export function dangerousTools(powers: readonly Power[]): ReadonlySet<string> {
  return new Set(powers.filter(isDangerous).flatMap(({ uses }) => uses.map(({ tool }) => tool)))
}

function powerItem(power: Power, old: { readonly power: Power | undefined } | undefined): Item {
  const { uses } = power
  const known = new Set(old?.power?.uses.map(useKey))
  const isNewUse = (use: PowerUse) => old !== undefined && !known.has(useKey(use))
  const [only] = uses
  const isNew = old !== undefined && old.power === undefined
  const isChanged = uses.length === 1 && only !== undefined && isNewUse(only)
  return {
    isNew: isNew || isChanged,
    mark: isDangerous(power) ? 'danger' : undefined,
    words:
      uses.length === 1 && only !== undefined
        ? [...onlyWords(power, only), ...besideWords(power)]
        : [...powerWords(power), ...useWords(power), ...besideWords(power)],
    more: uses.length > 1 ? uses.map(use => ({ isNew: isNewUse(use), words: useLine(use) })) : undefined,
  }
}

function useLine(use: PowerUse): Words {
  return [{ text: use.tool }, ': ', { text: use.how }, ...factsOf(use)]
}

/** The one tool is told in the same line. */
function onlyWords(power: Power, use: PowerUse): Words {
  const { kind } = power
  const [how, tool] = [{ text: use.how }, { text: use.tool }]
  const facts = factsOf(use)
  if (kind === 'secret') return [...powerWords(power), ', given to ', how, ' by the tool ', tool, ...facts]
  if (kind === 'host') return [...powerWords(power), ': ', how, ', by the tool ', tool, ...facts]
  if (kind === 'code' || kind === 'program') return [BEGINS[kind], how, ' as the tool ', tool, ...facts]
  return [...powerWords(power), ', by the tool ', tool, ...facts]
}

function factsOf({ confirm, isDenied }: PowerUse): string[] {
  return [...(isDenied ? [', which is not exposed'] : []), ...(confirm ? ['; asks first'] : [])]
}

/** `: 25 tools, 12 GET and 13 POST`; `, given to https://…`. */
function useWords({ kind, uses }: Power): Part[] {
  if (uses.length === 0) return []
  const denied = uses.filter(({ isDenied }) => isDenied).length
  const not = denied === 0 ? [] : [`, ${denied} of them not exposed`]
  if (kind === 'secret') return [', given to ', ...fewNames([...new Set(uses.map(({ how }) => how))]), ...not]
  const verbs = uses.flatMap(({ verb }) => verb ?? [])
  const called: Part[] = verbs.length === 0 ? [] : [', ', { text: counted(verbs) }]
  return [`: ${plural(uses.length, 'tool')}`, ...called, ...not]
}

function useKey({ tool, how, confirm }: PowerUse): string {
  return JSON.stringify([tool, how, confirm])
}
