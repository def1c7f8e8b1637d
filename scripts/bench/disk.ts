// The disk that files are made on: room on it, and calm before something is measured.
import { rmSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Contender } from './measure.ts'
import { run } from './process.ts'

/** Bytes free for who runs this. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Everything written so far is on the disk: what one contender has left in memory is not written at the cost of the next. */
export async function settle(folder: string): Promise<void> {
  await run('sync', process.platform === 'linux' ? ['-f', folder] : [])
}

/** What writes a file, on a calm disk, as a new file: removing an old one is not measured. */
export function writes(file: string, work: Contender['work']): Contender {
  const before = async () => {
    rmSync(file, { force: true })
    await settle(dirname(file))
  }
  return { before, work }
}
