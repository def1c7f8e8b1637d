// What bwrap says → what an administrator can do about it.
import { readFileSync } from 'node:fs'
import { isSystemError } from '../../model/system-error.ts'

/** @param said the last line of its standard error */
export function hintFor(said: string): string {
  if (/namespace|uid map/i.test(said))
    return isRestricted('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')
      ? 'AppArmor forbids user namespaces here: add a profile for bwrap that allows userns (docs/sandbox.md)'
      : 'User namespaces are forbidden here: allow them with sysctl (user.max_user_namespaces, kernel.unprivileged_userns_clone), or in the container’s settings'
  if (/unknown option/i.test(said)) return 'Install bubblewrap 0.8.0 or later'
  return 'docs/sandbox.md says what it needs'
}

function isRestricted(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').trim() === '1'
  } catch (error) {
    if (isSystemError(error)) return false
    throw error
  }
}
