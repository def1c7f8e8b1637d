// Reads rlp.lock for a command that needs one, changes it, and removes agents from it. The file is replaced whole, by one rename, while a
// mutex keeps other rlp processes from changing it.
import { dirname } from 'node:path'
import { refuseForeign } from '../io/owner/owner.ts'
import { readOwn } from '../io/owner/read-own.ts'
import { Ways } from '../io/owner/ways.ts'
import { entryAt, targetAt } from '../io/read/entry.ts'
import { realPath } from '../io/read/real-path.ts'
import { changeFile, tidyChange } from '../io/write/change-file.ts'
import { readLock } from '../lock-file/read.ts'
import { writeLock } from '../lock-file/write.ts'
import { RlpError } from '../model/error.ts'
import type { Lock, LockSource } from '../model/lock.ts'
import { lockSourceOf, readLockSource } from '../trust/read-lock.ts'

export interface LockPlace {
  /** Absolute. */
  readonly path: string
  /** Name of the file in messages. */
  readonly label: string
}

export type UsableLock = LockSource & { readonly lock: Lock }

/** @throws RlpError NOT_FOUND if there is none, LOCK_UNUSABLE with the line if it cannot be relied upon */
export async function usableLock({ path, label }: LockPlace): Promise<UsableLock> {
  if (entryAt(path) === undefined)
    throw new RlpError('NOT_FOUND', `Cannot read "${label}": no such file`, {
      hint: 'Make it with rlp lock add BUNDLE, or name another with --lock',
    })
  return usable(await readLockSource(path, label))
}

function usable(source: LockSource): UsableLock {
  const { label, lock, problems, hint } = source
  if (lock !== undefined) return { ...source, lock }
  const [first = '', ...more] = problems
  const state = first.startsWith(`${label}:`) ? `line ${first.slice(label.length + 1)}` : first
  const rest = more.length > 0 ? ` (and ${more.length} more)` : ''
  throw new RlpError('LOCK_UNUSABLE', `Cannot rely on "${label}": ${state}${rest}`, {
    hint:
      hint ??
      'Take the last good version of the file back (after a merge: one side), then lock what has changed since with rlp lock update',
  })
}

const NO_LOCK: Lock = { name: undefined, agents: new Map() }

/**
 * Changes the lock while no other rlp does. `change` gets the newest content; what it leaves as it is writes nothing.
 * @returns whether the file changed
 * @throws RlpError LOCK_UNUSABLE, NO_PERMISSION if others may write the folder, NO_SPACE and the like, CANCELLED
 */
export async function changeLock(
  place: LockPlace,
  change: (lock: Lock) => Lock,
  signal: AbortSignal,
): Promise<boolean> {
  const { label } = place
  const path = await realPath(place.path, label)
  const folder = dirname(path)
  const there = targetAt(folder)
  if (there === undefined)
    throw new RlpError('NOT_FOUND', `Cannot write "${label}": its folder is missing`, {
      hint: 'Make the folder first',
    })
  refuseForeign(`rely on "${folder}"`, folder, there, 'folder')
  const doing = `change ${label} in "${folder}"`
  // Read first, so that a bad lock fails before anything is written beside it.
  await current(path, label)
  const read = () => after(change, path, label)
  const file = { path, label, doing, read, readBy: 'everybody', signal } as const
  return changeFile({ ...file, edited: ({ bytes }) => bytes }, async ({ text, changed }, write) => {
    if (changed) await write(text, signal)
    return changed
  })
}

/** Whether a change would change the file, and fails where the change would. Nothing is written. @throws RlpError as {@link changeLock} */
export async function wouldChangeLock(
  { path: named, label }: LockPlace,
  change: (lock: Lock) => Lock,
): Promise<boolean> {
  return (await after(change, await realPath(named, label), label)).changed
}

/** Clears away what a killed change left, for a later run that has nothing to change. */
export async function tidyLock({ path, label }: LockPlace, signal: AbortSignal): Promise<void> {
  await tidyChange(await realPath(path, label), `change ${label}`, signal)
}

async function after(change: (lock: Lock) => Lock, path: string, label: string) {
  const { lock, bytes } = await current(path, label)
  const text = writeLock(change(lock))
  const changed = bytes === undefined || Buffer.compare(bytes, Buffer.from(text)) !== 0
  if (changed) refuseUnreadable(label, text)
  return { bytes, text, changed }
}

async function current(path: string, label: string): Promise<{ lock: Lock; bytes: Uint8Array | undefined }> {
  const bytes = await readOwn(path, new Ways())
  if (bytes === undefined) return { lock: NO_LOCK, bytes }
  return { lock: usable(lockSourceOf(label, dirname(path), bytes)).lock, bytes }
}

/** A name that TOML readers refuse, or too many agents: better known now than at the next deployment. */
function refuseUnreadable(label: string, text: string): void {
  const read = readLock(label, Buffer.from(text))
  if (read.ok) return
  const [problem] = read.problems
  throw new RlpError(
    'NOT_EDITABLE',
    `Cannot write "${label}": it could not be read again: line ${problem?.line}: ${problem?.message}`,
    { hint: 'Use several locks, or give the tool another name' },
  )
}

export interface LockRemoved {
  /** The lock, as the caller names it. */
  readonly lock: string
  /** Whether the lock names fewer agents than before; with `dryRun`, whether it would. */
  readonly changed: boolean
  /** The names of the agents, each once, sorted. */
  readonly agents: readonly string[]
}

/**
 * All of them, or none.
 * @throws RlpError NOT_FOUND for a missing lock, or an agent that it has not; as {@link changeLock}
 */
export async function removeLocked(
  agents: readonly string[],
  place: LockPlace,
  { signal, dryRun }: { readonly signal: AbortSignal; readonly dryRun: boolean },
): Promise<LockRemoved> {
  const names = [...new Set(agents)].sort()
  await usableLock(place)
  const change = (lock: Lock): Lock => {
    const unknown = names.find(agent => !lock.agents.has(agent))
    if (unknown !== undefined)
      throw new RlpError('NOT_FOUND', `Cannot remove ${unknown}: ${place.label} has no such agent`, {
        hint: 'rlp lock list shows the agents of the lock',
      })
    return { ...lock, agents: new Map([...lock.agents].filter(([agent]) => !names.includes(agent))) }
  }
  const changed = await (dryRun ? wouldChangeLock(place, change) : changeLock(place, change, signal))
  return { lock: place.label, changed, agents: names }
}
