// Finds another user for root to run a program as: a named account, or a number that no account and no other program has, because
// programs under one number could look into each other. Also finds a folder that such a user can reach.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { ioNow } from '../fail.ts'
import { withMutex } from '../mutex.ts'
import { entryOrNothing } from '../read/entry.ts'
import type { RunsAs } from './mounted.ts'

/** Of those that systemd gives to services that have no account (systemd, UIDS-GIDS.md). */
export const FIRST_NUMBER = 61184
const LAST = 65519

/** Root's, and empty after a start of the machine. */
const NUMBERS = '/run/rlp-sandbox'
/** What systemd has given away. */
const OF_SYSTEMD = '/run/systemd/dynamic-uid'

interface TakenUser extends RunsAs {
  release(): void
}

/**
 * @param folder for tests
 * @throws RlpError as {@link withMutex}; LIMIT_EXCEEDED if all are in use
 */
export async function takeUser(signal: AbortSignal, folder: string = NUMBERS): Promise<TakenUser> {
  const doing = 'take a user for a program'
  ioNow(doing, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  return withMutex(
    join(folder, 'numbers.lock'),
    doing,
    async () => ioNow(doing, () => freeIn(folder, doing)),
    signal,
  )
}

function freeIn(folder: string, doing: string): TakenUser {
  for (let uid = FIRST_NUMBER; uid <= LAST; uid++) {
    const path = join(folder, String(uid))
    if (isTaken(path) || entryOrNothing(join(OF_SYSTEMD, String(uid))) !== undefined) continue
    writeFileSync(path, String(process.pid), { mode: 0o600 })
    return { uid, gid: uid, release: () => rmSync(path, { force: true }) }
  }
  throw new RlpError('LIMIT_EXCEEDED', `Cannot ${doing}: all of ${LAST - FIRST_NUMBER + 1} are in use`, {
    hint: 'Wait until other calls have ended',
  })
}

/** A holder that has died no longer counts: its program died with it. */
function isTaken(path: string): boolean {
  if (entryOrNothing(path) === undefined) return false
  const pid = Number(readFileSync(path, 'utf8'))
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** As /etc/passwd has it; undefined if it has none of this name. @throws RlpError */
export function accountNamed(name: string): RunsAs | undefined {
  const text = ioNow('look up an account', () => readFileSync('/etc/passwd', 'utf8'))
  const line = text
    .split('\n')
    .map(one => one.split(':'))
    .find(([one]) => one === name)
  const [uid, gid] = [Number(line?.[2]), Number(line?.[3])]
  return Number.isSafeInteger(uid) && Number.isSafeInteger(gid) ? { uid, gid } : undefined
}

const PLACES = ['/tmp', '/var/tmp', '/dev/shm']

/** The user's own, if others can reach it. */
export function placeForOthers(): string {
  return [resolve(tmpdir()), ...PLACES].find(isOpenToAll) ?? '/tmp'
}

function isOpenToAll(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false })
    if (!stats?.isDirectory() || (stats.mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}
