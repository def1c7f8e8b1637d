// Programs of the system that some tests need → why those are skipped. In `.ci/run` RLP_NEEDS names them, and a missing one is a failure.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export function missing(...programs: readonly string[]): string | false {
  const gone = programs.filter(program => !isNeeded(program) && !isInstalled(program))
  return gone.length === 0 ? false : `${gone.join(' and ')} ${gone.length === 1 ? 'is' : 'are'} not installed`
}

/** Whether RLP_NEEDS names it. */
export function isNeeded(name: string): boolean {
  return (process.env['RLP_NEEDS'] ?? '').split(' ').includes(name)
}

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some(folder => existsSync(join(folder, program)))
}
