// The folders that decisions are based on: whose they are, and who may write them.
import { join } from 'node:path'
import { homeLabel } from '../io/home.ts'
import { refuseForeignWay } from '../io/owner/owner.ts'
import { Ways } from '../io/owner/ways.ts'
import { targetAt } from '../io/read/entry.ts'
import { writePath } from '../text/shell-words.ts'
import type { HealthCheck, HealthLine } from './check.ts'
import { wrongLine } from './look.ts'

const BELOW_HOME = ['keys', 'state', 'agents', 'policy-overrides', 'caps', 'channels', 'locks']
/** Others must not even look into it. */
const PRIVATE = 'keys'

export const folders = {
  name: 'folders',
  async look({ home, system, roots, channels }) {
    const places = [
      ...[system, home],
      ...BELOW_HOME.map(name => join(home, name)),
      ...channels.map(({ states }) => states),
      ...roots.map(({ path }) => path),
    ]
    const there = [...new Set(places)].filter(path => path === home || targetAt(path) !== undefined)
    return there.map(path => folderLine(path, path === join(home, PRIVATE)))
  },
} as const satisfies HealthCheck

function folderLine(path: string, isPrivate: boolean): HealthLine {
  const what = `folder ${homeLabel(path)}`
  try {
    refuseForeignWay(path, new Ways())
    const stats = targetAt(path)
    if (stats === undefined)
      return {
        level: 'warning',
        what,
        state: 'it is missing: nothing was set up for this user',
        fix: 'rlp trust add NAME KEY begins a trust policy, and makes it',
      }
    if (!stats.isDirectory())
      return { level: 'wrong', what, state: 'it is not a folder', fix: 'Move what is there away' }
    if (isPrivate && process.getuid !== undefined && (stats.mode & 0o077) !== 0)
      return {
        level: 'warning',
        what,
        state: 'others may look into it',
        fix: `Run chmod 700 ${writePath(homeLabel(path))}`,
      }
    return { level: 'ok', what, state: 'only its owner may write it' }
  } catch (error) {
    return wrongLine(what, error)
  }
}
