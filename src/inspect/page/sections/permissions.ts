// The section about what a bundle may do, the most dangerous first, with a sentence about each power. Twenty-five tools of one host are one
// line that opens.

import { crossesTheNetwork } from '../../../policy/address.ts'
import { capabilityFamily, isFamily } from '../../../policy/families/index.ts'
import { readHostPort, readUrl } from '../../../policy/host.ts'
import { withReadableHosts } from '../../../policy/readable-host.ts'
import { plural } from '../../../text/words.ts'
import { counted, type Item, type Part, type Section, type Words } from '../page.ts'
import { IN_CLEAR, keyOf, type Power, type PowerKind, type PowerUse } from '../powers.ts'

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

const MOST_NAMES = 5

/** The box and the name of what is in a bundle beside its tools. */
export const INSIDE = 'the program inside'

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
export function powerWords({ kind, name, hosts }: Power): Words {
  if (hosts !== undefined) return plainHttpWords(hosts)
  const whole = wordsOfFamily(name, kind)?.whole
  if (whole !== undefined) return [whole]
  const [, family = '', entry = ''] = /^([^:]*):(.*)$/s.exec(name) ?? []
  const each = wordsOfFamily(family, kind)?.each
  if (each !== undefined) return [each, { text: entry }]
  if (kind === 'host') return [BEGINS.host, { text: withReadableHosts(name) }, ...hostFacts(name)]
  return name === '' ? [BEGINS[kind]] : [BEGINS[kind], { text: name }]
}

/** A secret may be called as a family is. */
function wordsOfFamily(family: string, kind: PowerKind) {
  const words = isFamily(family) ? capabilityFamily(family).words : undefined
  return words?.power === kind ? words : undefined
}

function hostFacts(name: string): string[] {
  const everyPort = /:[0-9]+$/.test(name) ? [] : [', on every port']
  const reach = readUrl(name)
  if ('problem' in reach || reach.scheme !== 'http') return everyPort
  return [
    ...everyPort,
    crossesTheNetwork(reach.host) ? ', unencrypted over the network' : ', without encryption',
  ]
}

/** Hosts of this machine apart from those over the network. */
function plainHttpWords(hosts: readonly string[]): Part[] {
  const isSeen = (place: string) => {
    const target = readHostPort(place)
    return 'problem' in target || crossesTheNetwork(target.host)
  }
  const told = [
    { how: ' unencrypted over the network', names: hosts.filter(isSeen) },
    { how: ' without encryption', names: hosts.filter(place => !isSeen(place)) },
  ].filter(({ names }) => names.length > 0)
  return told.flatMap(({ how, names }, at): Part[] => [
    at === 0 ? BEGINS.host : ', and ',
    ...fewNames(names.map(withReadableHosts)),
    how,
  ])
}

/** At most five, and how many more there are. */
function fewNames(names: readonly string[]): Part[] {
  const more = names.length > MOST_NAMES ? [` and ${names.length - MOST_NAMES} more`] : []
  return [
    ...names.slice(0, MOST_NAMES).flatMap((text, at): Part[] => [at === 0 ? '' : ', ', { text }]),
    ...more,
  ]
}

/** Whether the program inside may, and no tool does. What a tool uses, the program inside may too. */
export function isInsideAlone({ uses, grants, left }: Power): boolean {
  const isGranted = uses.length === 0 || grants.length > 0
  return isGranted && uses.every(({ isDenied }) => isDenied) && left?.length !== 0
}

/** Who has a part of it, and what overrides leave. */
function besideWords(power: Power): Part[] {
  const { parts = [], left, kind } = power
  const isInside = kind !== 'unknown' && isInsideAlone(power)
  const have = parts.length === 1 ? ' has a part of it' : ' have a part of it'
  const has: Part[] =
    parts.length === 0 ? [] : [parts.length === 1 ? 'the tool ' : 'the tools ', ...fewNames(parts), have]
  return [
    ...(isInside ? [` (${INSIDE} may; `, ...(has.length === 0 ? ['no tool does'] : has), ')'] : []),
    ...(isInside || has.length === 0 ? [] : ['; ', ...has]),
    ...leftWords(left),
  ]
}

function leftWords(left: Power['left']): Part[] {
  if (left === undefined) return []
  if (left.length === 0) return [', taken away by an override on this host']
  return [', of which an override on this host leaves ', ...fewNames(left)]
}
