// Corrects an entry or a family that does not exist to the one that the author meant.
import type { Family } from '../model/policy.ts'
import { probablyMeant } from '../text/did-you-mean.ts'
import { capabilityFamily, FAMILIES } from './families/index.ts'
import { readHostPort } from './host.ts'

/** The entry that grants what an invalid one was written for; undefined if it cannot be told. */
export function meantEntry(key: Family, entry: string): string | undefined {
  const text = entry.trim()
  const { scope, entries } = capabilityFamily(key)
  const meant = scope === 'host' ? meantHost(text) : text
  const isValid = meant !== entry && meant !== '' && !/[\x00-\x1f\x7f-\x9f{}]/.test(meant)
  return isValid && entries.problem(meant) === undefined ? meant : undefined
}

/** The host of a url, or of a host with a path; a port only where it is not the one of https. */
function meantHost(text: string): string {
  const [, scheme, authority = ''] = /^(?:(https?|wss?):\/\/)?([^/?#]*)/i.exec(text) ?? []
  const target = readHostPort(authority)
  if ('problem' in target) return text
  const isUsual = target.port === undefined || (scheme !== undefined && target.port === 443)
  return isUsual ? target.host : `${target.host}:${target.port}`
}

/** Names of the families in other systems, as plain names. */
const SYNONYMS: ReadonlyMap<string, Family> = new Map(
  Object.entries({
    net: 'network http https host hosts url urls web internet domain domains egress',
    exec: 'command commands program programs process processes shell run bin binary cmd executable',
    secrets: 'credential credentials token tokens key keys vault',
    fs: 'file files filesystem folder folders directory directories path paths',
    fs_rw: 'write fswrite filewrite',
    fs_ro: 'read fsread fileread readonly',
    time: 'clock date',
    model: 'llm ai models',
  } satisfies Partial<Record<Family, string>>).flatMap(([family, names]) =>
    names.split(' ').map(name => [name, family as Family] as const),
  ),
)

/** Undefined if it resembles none. */
export function meantFamily(name: string): Family | undefined {
  const meant = SYNONYMS.get(name.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? probablyMeant(name, FAMILIES)
  return meant as Family | undefined
}
