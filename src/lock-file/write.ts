// Writes a lock as its one text: sorted, a line for each fact, no time. Two writers of the same lock write the same bytes. Two entries pin
// the same if they are the same in that text.
import { LOCK_VERSION, type Lock, type LockedAgent } from '../model/lock.ts'
import { ownMembers } from '../model/own.ts'
import { digestText } from '../text/digest-text.ts'
import { doubleQuoted } from '../text/double-quoted.ts'
import { listLiteral } from '../toml/write.ts'
import { bundleIdentity } from '../version/reference.ts'

export function writeLock(lock: Lock): string {
  const { name, agents } = ownMembers(lock)
  const tables = sorted(agents.keys()).map(agent => tableOf(agent, agents.get(agent)))
  const head = `version = ${LOCK_VERSION}\n${name === undefined ? '' : `name = ${doubleQuoted(name)}\n`}`
  return [head, ...tables].join('\n')
}

function tableOf(name: string, agent: LockedAgent | undefined): string {
  if (agent === undefined) throw new TypeError('a name of the lock has no agent')
  const { source, expect, oci, version, identity, signers, caps, tools } = ownMembers(agent)
  const lines = [
    `[agents.${keyOf(name)}]`,
    `source = ${doubleQuoted(source)}`,
    ...(expect === undefined ? [] : [`expect = ${doubleQuoted(expect)}`]),
    ...(oci === undefined ? [] : [`oci = ${doubleQuoted(oci)}`]),
    `agent = ${doubleQuoted(version)}`,
    `identity = ${doubleQuoted(bundleIdentity(identity))}`,
    `signers = ${listOf(signers)}`,
    `caps = ${listOf(caps)}`,
    `tools = ${toolsOf(tools)}`,
  ]
  return `${lines.join('\n')}\n`
}

function toolsOf(tools: LockedAgent['tools']): string {
  const inOrder = [...tools].sort(([a], [b]) => (a < b ? -1 : 1))
  const pairs = inOrder.map(([id, digest]) => `${doubleQuoted(id)} = ${doubleQuoted(digestText(digest))}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

function listOf(texts: readonly string[]): string {
  return listLiteral(sorted(texts))
}

/** By UTF-16 code units, each text once: no locale decides. */
export function sorted(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort()
}

function keyOf(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : doubleQuoted(name)
}

/** The same bundle, pinned in the same way: only the place where it is may differ. */
export function isSameEntry(a: LockedAgent, b: LockedAgent): boolean {
  return factsOf(a) === factsOf(b)
}

/** The same, and the same stored manifest where both pin one: other signatures of one bundle are stored under another digest. */
export function isSamePin(a: LockedAgent, b: LockedAgent): boolean {
  return isSameEntry(a, b) && a.oci === b.oci
}

function factsOf(entry: LockedAgent): string {
  const { version, identity, signers, caps, tools } = ownMembers(entry)
  return JSON.stringify([version, identity, signers, caps, [...tools].sort()])
}
