// Descriptors of this process that a program would inherit: Node closes its own, but not those that it was started with.
import { readdirSync, readFileSync } from 'node:fs'
import { isSystemError } from '../../model/system-error.ts'

/** `O_CLOEXEC` in /proc/self/fdinfo, octal. */
const CLOSES = 0o2000000

/** Numbers from `first` on. Linux only. */
export function inherited(first: number): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter(fd => fd >= first && staysOpen(fd))
}

function staysOpen(fd: number): boolean {
  try {
    const [, flags] = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSES) === 0
  } catch (error) {
    // The one by which the list was read is closed by now.
    if (isSystemError(error)) return false
    throw error
  }
}
