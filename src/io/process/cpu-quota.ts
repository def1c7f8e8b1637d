// Reads how much of the processor a container or service may use. Newer versions of Node take it into account in availableParallelism(),
// Node 20 does not.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isSystemError } from '../../model/system-error.ts'

/**
 * The least quota of the cgroup of this process and of those above it, in cores. Undefined if there is none, and on a system without cgroups.
 * @param root `/` except in tests
 */
export function cpuQuota(root = '/'): number | undefined {
  const quotas = textAt(join(root, 'proc/self/cgroup'))
    .split('\n')
    .flatMap(line => quotasOf(line, join(root, 'sys/fs/cgroup')))
  return quotas.length === 0 ? undefined : Math.min(...quotas)
}

/** @param line `0::/a/b` of version 2, or `4:cpu,cpuacct:/a/b` of version 1 */
function quotasOf(line: string, mounted: string): number[] {
  const [, controllers = '', path = ''] = /^[0-9]+:([^:]*):(\/.*)$/.exec(line) ?? []
  if (path === '') return []
  if (controllers === '') return upFrom(path).flatMap(at => quotaIn(textAt(join(mounted, at, 'cpu.max'))))
  if (!controllers.split(',').includes('cpu')) return []
  return ['cpu', controllers].flatMap(folder =>
    upFrom(path).flatMap(at => {
      const inside = join(mounted, folder, at)
      const of = (name: string) => textAt(join(inside, `cpu.cfs_${name}_us`)).trim()
      return quotaIn(`${of('quota')} ${of('period')}`)
    }),
  )
}

/** A path and those above it. In a container, its own path may not exist there: then the folder at the top is that of the container. */
function upFrom(path: string): string[] {
  const paths = ['/']
  // A cgroup outside of the namespace is written with `..`: its folder is not mounted here.
  if (path.split('/').includes('..')) return paths
  for (let at = path; at !== '/'; at = dirname(at)) paths.push(at)
  return paths
}

/** `max 100000` and `-1 100000` are no quota. */
function quotaIn(text: string): number[] {
  const [, quota, period] = /^([0-9]+) ([1-9][0-9]*)\s*$/.exec(text) ?? []
  return quota === undefined || Number(quota) === 0 ? [] : [Number(quota) / Number(period)]
}

function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (!isSystemError(error)) throw error
    return ''
  }
}
