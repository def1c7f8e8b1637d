// The sentence about each power: what it is, who has it, and what overrides leave of it.
import { capabilityFamily, isFamily } from '../../policy/families/index.ts'
import { readHostPort, readUrl } from '../../policy/host.ts'
import { crossesTheNetwork } from '../../policy/reached.ts'
import { withReadableHosts } from '../../policy/readable-host.ts'
import type { Part, Words } from './page.ts'
import type { Power, PowerKind } from './power.ts'

const MOST_NAMES = 5

/** The box and the name of what is in a bundle beside its tools. */
export const INSIDE = 'the program inside'

export const BEGINS: Readonly<Record<PowerKind, string>> = {
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
export function fewNames(names: readonly string[]): Part[] {
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
export function besideWords(power: Power): Part[] {
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
