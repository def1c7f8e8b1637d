// Where another user can be given a folder: a temporary one that everybody may go to.
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, resolve } from 'node:path'

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
