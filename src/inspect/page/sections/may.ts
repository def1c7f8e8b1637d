// Powers → a section: what the bundle may do, the most dangerous first. Twenty-five tools of one host are one line that opens.
import { capabilityFamily, isFamily } from '../../../format/capability/families/index.ts'
import { readUrl } from '../../../format/capability/host.ts'
import { crossesTheNetwork } from '../../../format/capability/reached.ts'
import { withReadableHosts } from '../../../format/capability/readable-host.ts'
import { plural } from '../../../format/text/counts.ts'
import type { Item, Part, Section, Words } from '../page.ts'
import { keyOf, type Power, type PowerKind, type PowerUse } from '../powers.ts'
import { counted } from '../words.ts'

const MOST_NAMES = 5

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
    ...(note !== false && { note: [note] }),
    items:
      powers.length === 0
        ? [{ mark: 'good', words: ['It has no permissions and no tools.'] }]
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
  return DANGEROUS.includes(kind) || name.startsWith('http://') || grants.includes('net:allow_http')
}

/** Ids of the tools that use something dangerous. */
export function dangerousTools(powers: readonly Power[]): ReadonlySet<string> {
  return new Set(powers.filter(isDangerous).flatMap(({ uses }) => uses.map(({ tool }) => tool)))
}

const BEGINS: Readonly<Record<PowerKind, string>> = {
  unknown: 'uses a capability that this build does not know: ',
  code: 'runs code given as text, with ',
  'every program': 'may run every program',
  program: 'runs ',
  host: 'reaches ',
  secret: 'uses the secret ',
  write: 'reads and writes files below ',
  read: 'reads files below ',
  other: '',
}

/** The power in words; also the label of its box in the picture. */
export function powerWords({ kind, name, grants }: Power): Words {
  const [grant = ''] = grants
  if (grant === 'net:allow_http') return ['reaches its hosts without encryption']
  const whole = isFamily(grant) ? capabilityFamily(grant).words.whole : undefined
  if (whole !== undefined) return [whole]
  const [, family = '', entry = ''] = /^([^:]*):(.*)$/s.exec(name) ?? []
  const each = isFamily(family) && grants.includes(name) ? capabilityFamily(family).words.each : undefined
  if (each !== undefined) return [each, { text: entry }]
  if (kind === 'host') return [BEGINS.host, { text: withReadableHosts(name) }, ...hostFacts(name)]
  return name === '' ? [BEGINS[kind]] : [BEGINS[kind], { text: name }]
}

function hostFacts(name: string): string[] {
  const reach = readUrl(name)
  if (!('problem' in reach) && reach.scheme === 'http')
    return [crossesTheNetwork(reach.host) ? ', unencrypted over the network' : ', without encryption']
  return /:[0-9]+$/.test(name) ? [] : [', on every port']
}

function powerItem(power: Power, old: { readonly power: Power | undefined } | undefined): Item {
  const { uses } = power
  const known = new Set(old?.power?.uses.map(useKey))
  const isNewUse = (use: PowerUse) => old !== undefined && !known.has(useKey(use))
  const [only] = uses
  const isNew = old !== undefined && old.power === undefined
  const isChanged = uses.length === 1 && only !== undefined && isNewUse(only)
  return {
    ...((isNew || isChanged) && { isNew: true }),
    ...(isDangerous(power) && { mark: 'danger' }),
    words:
      uses.length === 1 && only !== undefined
        ? onlyWords(power, only)
        : [...powerWords(power), ...useWords(power)],
    ...(uses.length > 1 && {
      more: uses.map((use): Item => ({ ...(isNewUse(use) && { isNew: true }), words: useLine(use) })),
    }),
  }
}

function useLine({ tool, how, confirm }: PowerUse): Words {
  return [{ text: tool }, ': ', { text: how }, ...asks(confirm)]
}

/** The one tool is told in the same line. */
function onlyWords(power: Power, { tool, how, confirm }: PowerUse): Words {
  const { kind } = power
  if (kind === 'secret')
    return [
      ...powerWords(power),
      ', given to ',
      { text: how },
      ' by the tool ',
      { text: tool },
      ...asks(confirm),
    ]
  if (kind === 'host')
    return [...powerWords(power), ': ', { text: how }, ', by the tool ', { text: tool }, ...asks(confirm)]
  return [BEGINS[kind], { text: how }, ' as the tool ', { text: tool }, ...asks(confirm)]
}

function asks(confirm: boolean): string[] {
  return confirm ? ['; asks first'] : []
}

/** `: 25 tools, 12 GET and 13 POST`; `, given to https://…`. */
function useWords({ kind, uses }: Power): Part[] {
  const isReached = kind === 'host' || kind === 'code' || kind === 'program' || kind === 'secret'
  if (uses.length === 0) return isReached ? [' (the program inside may; no tool does)'] : []
  if (kind === 'secret') {
    const to = [...new Set(uses.map(({ how }) => how))]
    const more = to.length > MOST_NAMES ? [` and ${to.length - MOST_NAMES} more`] : []
    const names = to.slice(0, MOST_NAMES).flatMap((text, at): Part[] => [at === 0 ? '' : ', ', { text }])
    return [', given to ', ...names, ...more]
  }
  const verbs = uses.flatMap(({ verb }) => verb ?? [])
  return [`: ${plural(uses.length, 'tool')}`, ...(verbs.length === 0 ? [] : [', ', { text: counted(verbs) }])]
}

function useKey({ tool, how, confirm }: PowerUse): string {
  return JSON.stringify([tool, how, confirm])
}
