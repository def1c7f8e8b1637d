// The program of a tool → the one file that is mounted for it, or why it is not started.
import { dirname } from 'node:path'
import { mountedAt, otherUserHint, type RunsAs } from '../io/owner/mounted-way.ts'
import { interpreterOf } from '../io/process/interpreter.ts'
import { realPathNow } from '../io/read/real-path.ts'
import type { ClosedRoot } from './closed-root.ts'
import type { Mount, MountRules, NotMounted } from './mount.ts'
import { isWithin } from './never.ts'

/**
 * Undefined for one that the closed root shows. What leads to it is compared by the file that it leads to.
 *
 * @param mounts the granted folders: a program must not be where it may write
 * @param is what it is called in a refusal
 */
export function programMount(
  command: string,
  { root, as }: Pick<MountRules, 'root' | 'as'>,
  mounts: readonly Mount[],
  is = 'the program',
): Mount | NotMounted | undefined {
  const real = realPathNow(command)
  const hint = 'Install it where only root and you may write, for example in /usr/local/bin'
  const refuse = (state: string): NotMounted => ({
    problem: `${is} "${command}" ${state}`,
    hint: otherUserHint(state, as) ?? hint,
  })
  if (real === undefined) return refuse('is not there')
  const runBy = interpreterOf(real)
  if (runBy !== undefined && !isThere(runBy, root, mounts))
    return {
      problem: `${is} "${command}" is a script for "${runBy}", which it would not find`,
      hint: `Let the tool list fs_ro of the folder that "${runBy}" is installed in, and grant it`,
    }
  if (root.shows(real) && root.shows(dirname(command))) return undefined
  // A link to it may be of this user or root alone.
  const way = command === real ? undefined : dirnameProblem(command, as)
  if (way !== undefined) return refuse(way)
  const found = mountedAt(real, as, 'run')
  if (typeof found === 'string') return refuse(found)
  const { stats } = found
  if (!stats.isFile()) return refuse('is no file')
  if ((stats.mode & 0o022) !== 0) return refuse('may be written by others')
  const isWritten = mounts.some(mount => mount.isWritable && isWithin(real, mount.path))
  if (isWritten) return refuse('is in a folder that it may write')
  return { path: command, source: real, isWritable: false, is: `${stats.dev}:${stats.ino}` }
}

/** The same of Node, which runs the forwarder beside a program that is granted hosts. */
export function nodeMount(
  rules: Pick<MountRules, 'root' | 'as'>,
  mounts: readonly Mount[],
): ReturnType<typeof programMount> {
  return programMount(process.execPath, rules, mounts, 'the forwarder’s Node')
}

/** Also where it leads to. */
function isThere(path: string, root: ClosedRoot, mounts: readonly Mount[]): boolean {
  return [path, realPathNow(path)].every(
    one => one !== undefined && (root.shows(one) || mounts.some(mount => isWithin(one, mount.path))),
  )
}

function dirnameProblem(command: string, as: RunsAs): string | undefined {
  const folder = realPathNow(dirname(command))
  if (folder === undefined) return 'is not there'
  const found = mountedAt(folder, as, 'read')
  return typeof found === 'string' ? found : undefined
}
