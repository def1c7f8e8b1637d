// Holds programs on Linux: namespaces by bubblewrap, a filter of system calls, limits of each process (docs/sandbox.md), and accounts and
// names that tell nothing of this host.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, constants, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ioNow } from '../../io/fail.ts'
import type { RunsAs } from '../../io/owner/mounted.ts'
import { placeForOthers, takeUser } from '../../io/owner/other-user.ts'
import { type SandboxProblem, type SystemTools, systemTools } from '../../io/owner/programs.ts'
import { type ExtraStream, inherited } from '../../io/process/descriptors.ts'
import { runProgram } from '../../io/process/program.ts'
import { Running } from '../../io/process/running.ts'
import { anySignal } from '../../io/wait/any-signal.ts'
import { isObstacle } from '../../model/error.ts'
import { TUNNEL_LIMITS } from '../../model/limits.ts'
import type { Enforced, SandboxProfile } from '../../model/sandbox.ts'
import { isSystemError } from '../../model/system-error.ts'
import { READY } from '../../net/tunnel/lane.ts'
import { HostProxy } from '../../net/tunnel/proxy.ts'
import { FD, sandboxLine } from '../bubblewrap-arguments.ts'
import { closedRoot, mountsOf, type NotMounted } from '../mounts.ts'
import {
  decidingPlaces,
  isWithin,
  neverGranted,
  OWN_FILE,
  resolvedPlaces,
  withTargets,
} from '../never-granted.ts'
import { SANDBOX_LIMITS } from '../profile.ts'
import { filterBytes, type Processor } from '../seccomp.ts'
import type { Held, LineEnd, SandboxHost, SandboxKind, ToHold, WorkingSandbox } from './kind.ts'

/** Since then the kernel counts the processes of a user namespace apart. */
const COUNTS_PROCESSES: readonly [major: number, minor: number] = [5, 14]

export const bubblewrap: SandboxKind = {
  name: 'bubblewrap',
  async probe(host) {
    const { arch, platform } = process
    if (platform !== 'linux') return { problem: 'it needs Linux', hint: 'There is none for this system yet' }
    if (arch !== 'x64' && arch !== 'arm64')
      return { problem: `there is no filter of system calls for ${arch}`, hint: 'x64 and arm64 have one' }
    const tools = systemTools(host.folders)
    if ('problem' in tools) return tools
    const sandbox = new Bubblewrap(tools, arch, host)
    const line = JSON.stringify([tools, process.getuid?.(), host.user])
    if (WORKED.has(line)) return sandbox
    try {
      const problem = await sandbox.tried()
      if (problem !== undefined) return problem
      WORKED.add(line)
      return sandbox
    } catch (error) {
      // What the probe needs cannot be made here: then no call can be made in it either.
      if (!isObstacle(error)) throw error
      return { problem: error.message, hint: error.hint ?? LOOK_HINT }
    }
  },
}

/** What has worked in this process. Where it later does not, bwrap ends before it starts the program. */
const WORKED = new Set<string>()

class Bubblewrap implements WorkingSandbox {
  readonly name = 'bubblewrap'
  readonly #tools: SystemTools
  readonly #filter: Uint8Array
  readonly #host: SandboxHost
  readonly #countsProcesses = isSince(COUNTS_PROCESSES)

  constructor(tools: SystemTools, processor: Processor, host: SandboxHost) {
    this.#tools = tools
    this.#filter = filterBytes(processor)
    this.#host = host
  }

  expected({ hosts }: SandboxProfile): Enforced {
    return {
      by: this.name,
      files: 'grants',
      network: hosts.length > 0 ? 'hosts' : 'denied',
      exec: 'none',
      limits: this.#countsProcesses ? `each process × ${SANDBOX_LIMITS.processes}` : 'none',
    }
  }

  async takeUser(signal: AbortSignal) {
    if (process.getuid?.() !== 0) return undefined
    const { user } = this.#host
    return user === undefined ? takeUser(signal) : { ...user, release: () => {} }
  }

  hold(what: ToHold): Held | NotMounted {
    const { profile, program, own, scratch, timeoutMs, programs, as, internet } = what
    const runsAs = as ?? { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 }
    const hasHosts = profile.hosts.length > 0 && internet !== undefined
    const forwardedBy = hasHosts ? process.execPath : undefined
    // At each start: a place may have been moved or made since the last one.
    const deciding = resolvedPlaces(decidingPlaces(this.#host))
    const root = closedRoot(deciding.places)
    const rules = {
      root,
      as: runsAs,
      programs: [...programs, ...this.#startedHere(), scratch],
      neverGranted: withTargets(neverGranted(this.#host.env)),
      deciding,
    }
    const mounts = mountsOf(profile, program.command, rules, hasHosts)
    if ('problem' in mounts) return mounts
    const isThere = [...mounts.mounts, ...own].some(({ path }) => isWithin(program.cwd, path))
    if (!isThere && !root.shows(program.cwd) && program.cwd !== '/')
      return {
        problem: `the folder "${program.cwd}", in which it would start, is not granted`,
        hint: 'Let it start in its own folder, or name one that the tool is granted',
      }
    const { line, args } = sandboxLine({
      tools: this.#tools,
      root: root.args,
      mounts,
      forwardedBy,
      limits: profile.limits,
      program,
      own: [...own, ...madeUpFiles(scratch, runsAs)],
      cpuSeconds: Number.isFinite(timeoutMs)
        ? Math.ceil(timeoutMs / 1000) * availableParallelism() + 1
        : undefined,
      countsProcesses: this.#countsProcesses,
      dropTo: as,
    })
    const proxy = hasHosts ? new HostProxy(profile.hosts, internet) : undefined
    const expected = this.expected(profile)
    return {
      ended: byShell,
      line,
      ...new WatchedStart(args, this.#filter, proxy).parts,
      env: {},
      cwd: '/',
      enforced: {
        ...expected,
        files: mounts.startsPrograms ? 'none' : expected.files,
        network: hasHosts ? 'hosts' : 'denied',
      },
    }
  }

  /** Undefined if the whole line works: the filter is on, and nothing of the kernel may be written. */
  async tried(): Promise<SandboxProblem | undefined> {
    const { signal } = this.#host
    const as = await this.takeUser(signal)
    const running = new Running()
    try {
      return await inProbeFolder(as, scratch => this.#problemIn(scratch, as, running))
    } finally {
      as?.release()
      running.end()
    }
  }

  async #problemIn(
    scratch: string,
    as: RunsAs | undefined,
    running: Running,
  ): Promise<SandboxProblem | undefined> {
    const held = this.hold({
      profile: { reads: [], writes: [], hosts: [], limits: SANDBOX_LIMITS },
      program: { command: this.#tools.sh, args: ['-c', LOOKS], env: {}, cwd: '/' },
      own: [],
      scratch,
      timeoutMs: PROBE_MS,
      programs: [],
      as,
    })
    if ('problem' in held) return held
    const { line, env, cwd, streams } = held
    const signal = anySignal(this.#host.signal, AbortSignal.timeout(PROBE_MS))
    const bytes = { outputBytes: 4096, errorBytes: 4096 }
    const end = await runProgram({ ...line, env, cwd, streams, ...bytes, signal, running })
    if (!end.started) return { problem: `it could not be started (${end.error.code})`, hint: LOOK_HINT }
    const failure = held.failure(end.stderr.text)
    if (failure !== undefined) return { problem: failure, hint: hintFor(failure) }
    if (end.exitCode !== 0) return { problem: 'a program in it could do more than it may', hint: LOOK_HINT }
    return undefined
  }

  /** Folders of PATH, this program, and Node: what is started later, outside of any sandbox. */
  #startedHere(): readonly string[] {
    const { PATH = '' } = this.#host.env
    return [...PATH.split(':').filter(path => path.startsWith('/')), process.execPath, OWN_FILE]
  }
}

const PROBE_MS = 10_000

/** Only looks: what could be written is not. */
const LOOKS = `
[ ! -w /proc/sys/kernel/core_pattern ] || exit 1
while read -r name value; do [ "$name $value" = "Seccomp: 2" ] && exit 0; done </proc/self/status
exit 1`

const LOOK_HINT = 'Run rlp doctor, which looks at it again'

function isSince([major, minor]: readonly [number, number]): boolean {
  const [first = 0, second = 0] = release().split('.').map(Number)
  return first > major || (first === major && second >= minor)
}

/** The shell inside, and bwrap, say 128 and the number of the signal. */
function byShell<E extends LineEnd>(end: E): E {
  const { exitCode } = end
  if (exitCode === null || exitCode <= 128) return end
  const [signal] = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128) ?? []
  return signal === undefined ? end : { ...end, exitCode: null, signal: signal as NodeJS.Signals }
}

class WatchedStart {
  #said = ''
  #info = ''
  readonly #args: Uint8Array
  readonly #filter: Uint8Array
  readonly #proxy: HostProxy | undefined

  /** @param proxy of a program that is granted hosts */
  constructor(args: Uint8Array, filter: Uint8Array, proxy: HostProxy | undefined) {
    this.#args = args
    this.#filter = filter
    this.#proxy = proxy
  }

  get parts(): Pick<Held, 'streams' | 'innerGroup' | 'begun' | 'failure' | 'notices'> {
    const streams: ExtraStream[] = []
    streams[FD.ready - 3] = {
      onData: bytes => {
        this.#said += bytes.toString('latin1')
      },
    }
    streams[FD.args - 3] = { bytes: this.#args }
    streams[FD.filter - 3] = { bytes: this.#filter }
    streams[FD.info - 3] = {
      onData: bytes => {
        this.#info += bytes.toString('latin1')
      },
    }
    const proxy = this.#proxy
    if (proxy !== undefined)
      for (let lane = 0; lane < TUNNEL_LIMITS.tunnels; lane++)
        streams[FD.tunnels - 3 + lane] = { serve: stream => proxy.serve(stream) }
    for (const fd of inherited(streams.length + 3)) {
      while (streams.length < fd - 3) streams.push('left')
      streams[fd - 3] = 'nothing'
    }
    return {
      streams,
      innerGroup: () => this.#childPid(),
      notices: () => proxy?.notices() ?? [],
      begun: () => this.#said.endsWith(READY),
      failure: stderr => {
        if (this.#said.endsWith(READY)) return undefined
        const [swapped] = /^swapped .*/m.exec(this.#said) ?? []
        if (swapped !== undefined)
          return `${swapped.slice('swapped '.length)} was exchanged while the call began`
        return lastLine(stderr) ?? 'it ended before the program was started'
      },
    }
  }

  #childPid(): number | undefined {
    const [, pid] = /"child-pid":\s*([0-9]+)/.exec(this.#info) ?? []
    return pid === undefined ? undefined : Number(pid)
  }
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1)?.trim() || undefined
}

/** @param said the last line of its standard error */
function hintFor(said: string): string {
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

interface MadeUp {
  readonly path: string
  /** Where it is inside. */
  readonly at: string
  readonly isWritable: false
}

/** @throws RlpError if the folder of the call is full */
function madeUpFiles(scratch: string, { uid, gid }: RunsAs): readonly MadeUp[] {
  const folder = join(scratch, 'etc')
  const files: Readonly<Record<string, string>> = {
    passwd: `root:x:0:0::/:/bin/sh\nuser:x:${uid}:${gid}::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n`,
    group: `root:x:0:\nuser:x:${gid}:\nnogroup:x:65534:\n`,
    hosts: '127.0.0.1 localhost\n::1 localhost\n',
    'resolv.conf': '',
  }
  return ioNow(`write "${folder}"`, () => {
    mkdirSync(folder, { mode: 0o755 })
    return Object.entries(files).map(([name, text]) => {
      const path = join(folder, name)
      writeFileSync(path, text, { mode: 0o644 })
      return { path, at: `/etc/${name}`, isWritable: false }
    })
  })
}

/** A private folder, which another user may go through. */
async function inProbeFolder<T>(as: RunsAs | undefined, work: (folder: string) => Promise<T>): Promise<T> {
  const place = as === undefined ? tmpdir() : placeForOthers()
  const folder = ioNow(`make a folder in "${place}"`, () => mkdtempSync(join(place, 'rlp-probe-')))
  try {
    if (as !== undefined) ioNow(`open "${folder}"`, () => chmodSync(folder, 0o711))
    return await work(folder)
  } finally {
    ioNow(`remove "${folder}"`, () => rmSync(folder, { recursive: true, force: true }))
  }
}
