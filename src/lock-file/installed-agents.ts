// The file that remembers which agents a lock had installed into a root when it last changed. A lock is known by its name.
import { isAgentName, readReference } from '../agent/agent-name.ts'
import { parseJson } from '../json/parse.ts'
import { closed, list, matching, type Read, ReadProblem } from '../json/read.ts'
import type { LockChange } from '../model/lock.ts'

const VERSION = 1

type ReadLockChanges =
  | { readonly ok: true; readonly changes: readonly LockChange[] }
  | { readonly ok: false; readonly problem: string }

/** @param name of the lock: a file about another lock was moved there */
export function readLockChanges(path: string, bytes: Uint8Array, name: string): ReadLockChanges {
  const parsed = parseJson(path, bytes)
  if (!parsed.ok) return { ok: false, problem: parsed.problem.message }
  try {
    const table = closed(parsed.document.value, 'it', ['version', 'name', 'roots'])
    if (table['version'] !== VERSION) return { ok: false, problem: `its version is not ${VERSION}` }
    if (table['name'] !== name || !isAgentName(name))
      return { ok: false, problem: 'it is about another lock' }
    return { ok: true, changes: list(readChange)(table['roots'], 'roots') }
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error
    return { ok: false, problem: error.message }
  }
}

export function writeLockChanges(name: string, changes: readonly LockChange[]): Uint8Array {
  const roots = changes.map(({ root, digest, agents }) => ({ root, digest, agents }))
  return new TextEncoder().encode(`${JSON.stringify({ version: VERSION, name, roots }, null, 1)}\n`)
}

const absolute = matching(/^(?:\/|[A-Za-z]:\\)/, 'is no absolute path')
const blake3 = matching(/^[0-9a-f]{64}$/, 'is no BLAKE3 digest')
const agent: Read<string> = (value, at) => {
  if (typeof value === 'string' && readReference(value) !== undefined) return value
  throw new ReadProblem(`${at} is no agent`)
}

const readChange: Read<LockChange> = (value, at) => {
  const table = closed(value, at, ['root', 'digest', 'agents'])
  return {
    root: absolute(table['root'], `${at}.root`),
    digest: blake3(table['digest'], `${at}.digest`),
    agents: list(agent)(table['agents'], `${at}.agents`),
  }
}
