// ~/.runloop/locks: one file for each name of a lock, with what it had put into each root when it changed. Whether a lock is the wrong one shows in how
// much of that it does not name any more, also after a run that was broken off: what such a run has installed does not count.
import { join } from 'node:path'
import { isAgentName } from '../../agent/agent-name.ts'
import { readLockChanges, writeLockChanges } from '../../lock-file/installed-agents.ts'
import { RlpError } from '../../model/error.ts'
import type { LockChange } from '../../model/lock.ts'
import { MAX_TEXT_BYTES } from '../../text/decode.ts'
import { Ways } from '../owner/ways.ts'
import { readPrivate } from '../read/read-private.ts'
import { changeFile } from '../write/change-file.ts'

/** Roots of one lock on one host; those that were not used for longest are forgotten. */
const MOST_ROOTS = 64

interface SeenLock {
  readonly name: string
  /** BLAKE3 of its content now. */
  readonly digest: string
  /** Absolute. */
  readonly root: string
}

/**
 * The agents that locks of this name had put into the root before the lock's last change.
 * @param putNow what they have put there by now
 * @param how `isKept`: whether a change of the lock is written down
 * @throws RlpError IO if the file cannot be relied upon, NO_PERMISSION if others may write it, NO_SPACE
 */
export async function beforeChange(
  { name, digest, root }: SeenLock,
  putNow: () => Promise<readonly string[]>,
  home: string,
  { isKept, signal }: { readonly isKept: boolean; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const known = (await changesOf(name, home)).find(one => one.root === root)
  if (known?.digest === digest) return known.agents
  const agents = await putNow()
  if (!isKept) return agents
  const path = pathIn(name, home)
  const doing = `remember what the lock ${name} has installed`
  const read = () => changesOf(name, home)
  await changeFile({ path, doing, read, readBy: 'its user', signal }, (before, write) => {
    const others = before.filter(one => one.root !== root)
    return write(writeLockChanges(name, [...others, { root, digest, agents }].slice(-MOST_ROOTS)))
  })
  return agents
}

async function changesOf(name: string, home: string): Promise<readonly LockChange[]> {
  const path = pathIn(name, home)
  const bytes = await readPrivate(path, [home, folderIn(home)], MAX_TEXT_BYTES, new Ways())
  if (bytes === undefined) return []
  const read = readLockChanges(path, bytes, name)
  if (read.ok) return read.changes
  throw new RlpError('IO', `Cannot rely on "${path}": ${read.problem}`, {
    hint: 'It tells what the lock had installed before it changed. Put it back from a backup; without it, --prune counts from what is installed now',
  })
}

function folderIn(home: string): string {
  return join(home, 'locks')
}

/** A checked name has no slash or dot, so it cannot lead out of the folder. */
function pathIn(name: string, home: string): string {
  if (!isAgentName(name)) throw new TypeError(`${JSON.stringify(name)} is no name of a lock`)
  return join(folderIn(home), `${name}.json`)
}
