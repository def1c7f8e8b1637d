// The arguments of bwrap, and of the programs that are started around and inside it, for a set of mounts and limits. Pure.
import type { RunsAs } from '../io/owner/mounted.ts'
import type { SystemTools } from '../io/owner/programs.ts'
import { MODULE_LIMITS, TUNNEL_LIMITS } from '../model/limits.ts'
import type { SandboxLimits } from '../model/sandbox.ts'
import { forwarder } from '../schema/generated/forwarder.js'
import type { Mounts } from './mounts.ts'

/** Numbers of descriptors of what is started. From `tunnels` on there are so many lanes, if hosts are granted. */
export const FD = { ready: 3, args: 4, filter: 5, info: 6, tunnels: 7 } as const

/**
 * The first process inside, with `stat` as its name. It compares what is mounted with what was judged, says that it is ready, starts the program
 * without that descriptor, and waits for it. What it would say itself of how the program ended is not said. As process 1 it takes no signal that it
 * does not handle, and ends all others when it ends. A forwarder says itself that it is ready, and starts the program without its descriptors.
 */
const first = (isForwarded: boolean) => `
while [ "$1" != -- ]; do
  [ "$("$0" -Lc %d:%i -- "$2")" = "$1" ] || { echo "swapped $2" >&3; exit 1; }
  shift 2
done
shift${isForwarded ? '' : '\necho ready >&3'}
exec 4>&2 2>/dev/null
(exec "$@") 2>&4 ${isForwarded ? '' : '3>&- '}4>&-
exit $?`

export interface Started {
  readonly command: string
  readonly args: readonly string[]
}

export interface InSandbox extends Started {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

interface LineParts {
  readonly tools: SystemTools
  readonly root: readonly string[]
  readonly mounts: Mounts
  /** Files and folders of the call, at the same path inside. */
  readonly own: readonly { readonly path: string; readonly at?: string; readonly isWritable: boolean }[]
  /** Node, if hosts are granted: then a forwarder starts the program. */
  readonly forwardedBy: string | undefined
  readonly limits: SandboxLimits
  /** Of processor time, for each process; undefined for none. */
  readonly cpuSeconds: number | undefined
  /** Whether the kernel counts processes of a user namespace apart (5.14 and later). */
  readonly countsProcesses: boolean
  /** Another user, for root. */
  readonly dropTo: RunsAs | undefined
  readonly program: InSandbox
}

/** @returns the command line, and the arguments that bwrap reads from {@link FD.args}: no secret is in a command line */
export function sandboxLine(parts: LineParts): { readonly line: Started; readonly args: Uint8Array } {
  const { tools, limits, cpuSeconds, dropTo, countsProcesses, program, mounts, forwardedBy } = parts
  const compared = [...mounts.mounts, ...mounts.programs]
  const isForwarded = forwardedBy !== undefined
  const inside = [
    ...(countsProcesses ? [tools.prlimit, `--nproc=${limits.processes}`, '--'] : []),
    ...[tools.sh, '-c', first(isForwarded), tools.stat],
    ...[...compared.flatMap(({ is, path }) => [is, path]), '--'],
    ...(isForwarded ? forwarding(forwardedBy) : []),
    ...[program.command, ...program.args],
  ]
  const MB = 1024 * 1024
  const bounded = [
    tools.prlimit,
    `--data=${(limits.memoryMb + (isForwarded ? MODULE_LIMITS.engineMemoryMb : 0)) * MB}`,
    `--stack=${8 * MB}:${64 * MB}`,
    `--fsize=${limits.fileMb * MB}`,
    `--nofile=${limits.openFiles}`,
    ...(cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}`]),
    ...['--core=0', '--msgqueue=0', '--'],
    ...[tools.bwrap, '--args', String(FD.args), '--', ...inside],
  ]
  const dropped =
    dropTo === undefined
      ? bounded
      : [
          tools.setpriv,
          ...[`--reuid=${dropTo.uid}`, `--regid=${dropTo.gid}`, '--clear-groups', '--inh-caps=-all', '--'],
          ...bounded,
        ]
  const [command = '', ...args] = dropped
  return {
    line: { command, args },
    args: Buffer.from(
      bwrapArgs(parts)
        .map(arg => `${arg}\0`)
        .join(''),
    ),
  }
}

function forwarding(node: string): readonly string[] {
  const { tunnels, lingerMs } = TUNNEL_LIMITS
  const given = [FD.ready, FD.tunnels, tunnels, lingerMs].map(String)
  return [node, '--no-warnings', '-e', forwarder, '--', ...given]
}

function bwrapArgs({ root, mounts, own, program }: LineParts): string[] {
  const { mounts: granted, covers, programs } = mounts
  const { env, cwd } = program
  return [
    ...['--die-with-parent', '--new-session', '--as-pid-1'],
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--hostname', 'sandbox'],
    ...['--cap-drop', 'ALL', '--seccomp', String(FD.filter), '--info-fd', String(FD.info)],
    ...root,
    ...granted.flatMap(({ source, path, isWritable }) => [bind(isWritable), source, path]),
    ...programs.flatMap(({ source, path }) => [bind(false), source, path]),
    ...covers.flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...own.flatMap(({ path, at = path, isWritable }) => [bind(isWritable), path, at]),
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', cwd],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
}

function bind(isWritable: boolean): string {
  return isWritable ? '--bind' : '--ro-bind'
}
