// Runs the module of an agent under WASI preview 1 in the sandbox, and records the run in the audit log (docs/running.md, "Audit"). Its
// output is passed on while it runs. WASI preview 1 hands a module folders that are open before it starts, each by its own path.

import { basename, extname, join } from 'node:path'
import { auditLine, eventLine } from '../../agentcli/audit.ts'
import { createRedactor } from '../../agentcli/redact.ts'
import { objectIn } from '../../contract/json-text.ts'
import { kindAt } from '../../io/find/search-folders.ts'
import { namedPath, runloopHome, userHome } from '../../io/home.ts'
import type { RunsAs } from '../../io/owner/mounted.ts'
import { runProgram, type TakeOutput } from '../../io/process/program.ts'
import { startClock } from '../../io/process/run-clock.ts'
import type { Running } from '../../io/process/running.ts'
import { openFile, readFile, readWhole, withFile } from '../../io/read/read-file.ts'
import type { Setting } from '../../io/setting.ts'
import { anySignal } from '../../io/wait/any-signal.ts'
import { appendLine, tryLog } from '../../io/write/append-log.ts'
import { RlpError } from '../../model/error.ts'
import { MODULE_LIMITS } from '../../model/limits.ts'
import { own, ownMembers } from '../../model/own.ts'
import type { Policy } from '../../model/policy.ts'
import type { Enforced, SandboxProfile } from '../../model/sandbox.ts'
import { policyGrants } from '../../policy/ceiling.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { plainFolder } from '../../policy/folder.ts'
import type { Held, LineEnd } from '../../sandbox/kinds/kind.ts'
import { programsOf } from '../../sandbox/profile.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import {
  keepInUse,
  makeScratch,
  placeInScratch,
  removeAbandoned,
  removeScratch,
  type Scratch,
} from '../scratch.ts'
import type { RunnableAgent } from './runnable.ts'

const NO_GROUPS = 'modules are run on systems with process groups only: Linux, macOS and their like'

/** @throws what the input or the one who takes the output throws: it ends the module. Else as {@link runModule} */
export async function runRecorded(
  agent: RunnableAgent,
  run: ModuleRun,
  log: RunLog,
  host: ModuleHost,
): Promise<RanModule> {
  if (process.platform === 'win32') throw new RlpError('IO', `Cannot run "${agent.label}": ${NO_GROUPS}`)
  const lost = new AbortController()
  const onLost = (error: unknown) => lost.abort(error)
  const streams: Pick<ModuleRun, 'input' | 'take'> = {
    input: run.input && untilLost(run.input, onLost),
    take: (...taken) => run.take(...taken).catch(onLost),
  }
  const signal = anySignal(host.signal, lost.signal)
  const ran = await runModule(agent, { ...run, ...streams }, { ...host, signal }).catch(error => {
    if (error instanceof RlpError) log.failed(error.message)
    throw error
  })
  log.ended(ran)
  lost.signal.throwIfAborted()
  return ran
}

/** An input that breaks off has no end: the module must not take it for whole. */
async function* untilLost(
  input: AsyncIterable<Uint8Array>,
  onLost: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* input
  } catch (error) {
    onLost(error)
    await new Promise(() => {})
  }
}

export interface RunLog {
  ended(ran: RanModule): void
  /** Nothing of the module ran. */
  failed(message: string): void
}

const TOOL = 'agent.run'
/** Of a module that did not end by itself. */
const NO_EXIT = -1

/**
 * @param argv the agent, its entry and the arguments
 * @throws RlpError for a log that cannot be written, or not be masked: before anything has happened
 */
export async function openRunLog(
  label: string | undefined,
  argv: readonly string[],
  { env, cwd }: Pick<Setting, 'env' | 'cwd'>,
): Promise<RunLog> {
  if (label === undefined) return { ended: () => {}, failed: () => {} }
  const redact = await createRedactor(env)
  const path = namedPath(label, cwd)
  tryLog(path, label)
  const append = (line: string) => appendLine(path, label, line)
  return {
    ended({ end, ms, enforced, outputBytes, errorBytes }) {
      const exit = end.is === 'exited' ? end.code : NO_EXIT
      const bytes = { stdoutBytes: outputBytes, stderrBytes: errorBytes }
      append(
        auditLine(
          { ts: new Date(), tool: TOOL, argv, cwd: '', exit, ms, ...bytes, envKeys: [], enforced },
          redact,
        ),
      )
    },
    failed: message => append(eventLine(new Date(), 'not_started', TOOL, redact(message))),
  }
}

export interface ModuleRun {
  /** Behind the name of the module. */
  readonly args: readonly string[]
  /** Undefined for an empty input. */
  readonly input: AsyncIterable<Uint8Array> | undefined
  readonly take: (...taken: [...Parameters<TakeOutput>, signal: AbortSignal]) => Promise<void>
  readonly timeoutMs: number
  readonly memoryMb: number | undefined
  /** Told of granted files and folders that the module does not get. */
  onLeft(paths: readonly string[]): void
}

export interface RanModule {
  readonly end: ModuleEnd
  readonly enforced: Enforced
  readonly memoryMb: number
  readonly ms: number
  readonly outputBytes: number
  readonly errorBytes: number
}

interface ModuleHost extends Pick<Setting, 'env' | 'signal'> {
  readonly running: Running
  readonly sandbox: Sandbox
}

/** @throws RlpError UNENFORCED if it cannot be held, IO if it cannot be started */
async function runModule(agent: RunnableAgent, run: ModuleRun, host: ModuleHost): Promise<RanModule> {
  await removeAbandoned(new Date())
  const as = await host.sandbox.takeUser(host.signal)
  const scratch = await makeScratch(undefined, host.running, as)
  try {
    if ('kind' in scratch) throw new RlpError('IO', scratch.message)
    const stopMarking = keepInUse(scratch.path)
    try {
      return await runIn(scratch, as, agent, run, host)
    } finally {
      stopMarking()
      await removeScratch(scratch.path, host.running)
    }
  } finally {
    as?.release()
  }
}

async function runIn(
  scratch: Scratch,
  as: RunsAs | undefined,
  agent: RunnableAgent,
  run: ModuleRun,
  { env, running, sandbox, signal }: ModuleHost,
): Promise<RanModule> {
  const { args, timeoutMs, memoryMb } = run
  const profile = sandbox.profile({
    capabilities: fileGrants(agent.policy, { env }),
    rlp: { memoryMb },
  })
  const runner = await runnerFile()
  const held = sandbox.hold({
    profile: withEngine(profile),
    program: {
      command: process.execPath,
      args: [...engineFlags(profile.limits.memoryMb), join(scratch.path, runner.name)],
      env: {},
      cwd: scratch.work,
    },
    own: [
      { path: scratch.path, isWritable: false },
      { path: scratch.work, isWritable: true },
    ],
    scratch: scratch.path,
    timeoutMs,
    programs: programsOf(agent.tools),
    as,
  })
  if ('kind' in held) throw new RlpError('UNENFORCED', held.message)
  const { folders, left } = openedFolders(profile)
  run.onLeft(left)
  await placeInScratch(scratch, {
    [runner.name]: runner.bytes,
    'module.wasm': agent.module,
    'run.json': Buffer.from(JSON.stringify({ args: [agent.entry, ...args], folders })),
  })
  return started(held, scratch, agent, run, { running, signal, memoryMb: profile.limits.memoryMb })
}

async function started(
  held: Held,
  { work }: Scratch,
  { label }: RunnableAgent,
  { input, take, timeoutMs }: ModuleRun,
  { running, signal, memoryMb }: Pick<ModuleHost, 'running' | 'signal'> & Pick<RanModule, 'memoryMb'>,
): Promise<RanModule> {
  const { line, env, cwd, streams, innerGroup, enforced } = held
  const clock = startClock(timeoutMs, signal)
  const begun = performance.now()
  const output = heldBack(held, (...taken) => take(...taken, clock.signal))
  try {
    const end = await runProgram({
      ...line,
      env,
      cwd,
      streams,
      innerGroup,
      running,
      signal: clock.signal,
      stdin: input,
      take: output.take,
      outputBytes: 0,
      errorBytes: MODULE_LIMITS.startBytes,
    })
    if (!end.started) throw notStarted(label, `the system says ${end.error.code}`)
    const stopped = signal.aborted ? 'stopped' : clock.signal.aborted ? 'late' : undefined
    const failure = held.failure(end.stderr.text)
    if (failure !== undefined && stopped === undefined) throw notStarted(label, failure)
    await output.rest()
    return {
      end: stopped === undefined ? await readEnded(work, held.ended(end)) : { is: stopped },
      enforced,
      memoryMb,
      ms: Math.round(performance.now() - begun),
      outputBytes: end.stdout.bytes,
      errorBytes: end.stderr.bytes,
    }
  } finally {
    clock.stop()
  }
}

/** What was decided before the start is not decided anew: the run has failed, and is not made with less. */
function notStarted(label: string, why: string): RlpError {
  return new RlpError('IO', `Cannot start "${label}" in the sandbox: ${why}`, {
    hint: 'rlp doctor says what works here',
  })
}

/** Capabilities as a tool would list them; nothing of the network. What is in the folder of rlp itself is opened for no program. */
function fileGrants(policy: Policy, { env }: Pick<Setting, 'env'>): readonly string[] {
  return folderGrants(policy)
    .filter(({ scope }) => !isOwn(scope, env))
    .map(({ text }) => text)
}

/** Grants that {@link fileGrants} leaves out although there is something. */
export function keptBack(policy: Policy, { env }: Pick<Setting, 'env'>): readonly string[] {
  return folderGrants(policy)
    .map(({ scope }) => scope)
    .filter(path => isOwn(path, env) && kindAt(expandedPath(path)) !== undefined)
}

function folderGrants(policy: Policy) {
  return policyGrants(policy).flatMap(({ family, scope, text }) =>
    scope !== undefined && capabilityFamily(family).scope === 'folder' ? { scope, text } : [],
  )
}

function isOwn(path: string, env: Setting['env']): boolean {
  // Also the usual place, where another one is named: keys may be there too.
  return [runloopHome(env), runloopHome({})].some(home => `${expandedPath(path)}/`.startsWith(`${home}/`))
}

function expandedPath(path: string): string {
  const plain = plainFolder(path)
  return plain.startsWith('~/') ? `${userHome()}${plain.slice(1)}` : plain
}

interface OpenedFolders {
  /** By the path that the module knows. */
  readonly folders: Readonly<Record<string, string>>
  /** Granted, and no folder. */
  readonly left: readonly string[]
}

function openedFolders({ reads, writes }: SandboxProfile): OpenedFolders {
  const paths = [...reads, ...writes].sort()
  const isFolder = (path: string) => kindAt(path) === 'folder'
  return {
    folders: Object.fromEntries(paths.filter(isFolder).map(path => [path, path])),
    left: paths.filter(path => !isFolder(path)),
  }
}

export type ModuleEnd =
  /** By itself, with a code of its own: 0 to 255. */
  | { readonly is: 'exited'; readonly code: number }
  /** By a fault of its own, after which no code of it runs. */
  | { readonly is: 'trapped'; readonly why: string; readonly memoryBytes: number }
  /** Before any code of it ran. */
  | { readonly is: 'refused'; readonly why: string }
  /** With the engine, which says nothing more. */
  | { readonly is: 'lost'; readonly by: string }
  /** By its time limit. */
  | { readonly is: 'late' }
  /** By the caller. */
  | { readonly is: 'stopped' }

/** What the runner writes has less. */
const MOST_BYTES = 64 * 1024
const MOST_CHARACTERS = 300
const HIGHEST_CODE = 255

/**
 * @param folder which the program may write: what is in it is read as a stranger's
 * @param process how it ended; that counts where the runner did not get to its end
 */
async function readEnded(folder: string, { exitCode, signal }: LineEnd): Promise<ModuleEnd> {
  return (await writtenIn(folder)) ?? { is: 'lost', by: signal ?? `exit code ${exitCode}` }
}

/** Undefined for what the runner cannot have written. */
async function writtenIn(folder: string): Promise<ModuleEnd | undefined> {
  const { is, code, step, name, message, memoryBytes } = ownMembers(
    objectIn(await textIn(join(folder, 'ended.json'))) ?? {},
  )
  if (is === 'exited' && typeof code === 'number')
    // What a system takes as an exit code. Cut to eight bits, 256 would be success.
    return { is, code: Number.isInteger(code) && code >= 0 && code < HIGHEST_CODE ? code : HIGHEST_CODE }
  if (typeof message !== 'string' || typeof name !== 'string') return undefined
  const why = message.slice(0, MOST_CHARACTERS)
  if (is === 'trapped' && typeof memoryBytes === 'number') return { is, why, memoryBytes }
  if (is === 'refused') return { is, why: step === 'open' ? `a folder cannot be opened: ${why}` : why }
  return undefined
}

async function textIn(path: string): Promise<string> {
  try {
    const bytes = await readFile(path, { follow: false, most: MOST_BYTES, larger: () => [] })
    return Buffer.from(bytes).toString()
  } catch (error) {
    // A runner that was ended wrote nothing; a link or a FIFO in its place is not from it.
    if (error instanceof RlpError) return ''
    throw error
  }
}

/** What is on standard error before the program has begun is of the sandbox, and is no output of the module. */
function heldBack({ begun }: Held, take: TakeOutput): { readonly take: TakeOutput; rest(): Promise<void> } {
  let early: Uint8Array[] = []
  const rest = async () => {
    const bytes = Buffer.concat(early)
    early = []
    if (bytes.length > 0) await take('stderr', bytes)
  }
  return {
    rest,
    async take(stream, bytes) {
      if (stream === 'stderr' && !begun()) return void early.push(bytes)
      await rest()
      await take(stream, bytes)
    },
  }
}

/** The engine has memory of its own beside that of the module. */
function withEngine({ limits, ...profile }: SandboxProfile): SandboxProfile {
  return { ...profile, limits: { ...limits, memoryMb: limits.memoryMb + MODULE_LIMITS.engineMemoryMb } }
}

const PAGES_PER_MB = 16
/** Before it, the engine of Node aborts in half the runs with a bound on memory, unless it has one thread. */
const BOUNDS_WITH_THREADS = 22

function engineFlags(memoryMb: number): readonly string[] {
  const [major = 0] = process.versions.node.split('.').map(Number)
  return [
    // node:wasi is experimental in every version.
    '--disable-warning=ExperimentalWarning',
    `--wasm-max-mem-pages=${memoryMb * PAGES_PER_MB}`,
    ...(major < BOUNDS_WITH_THREADS ? ['--single-threaded'] : []),
  ]
}

interface RunnerFile {
  /** Its ending says how Node reads it. */
  readonly name: string
  readonly bytes: Uint8Array
}

const BESIDE = 'module-runner.cjs'
/** By the folder that this module is in. The library takes the file of the program. */
const ELSEWHERE: Readonly<Record<string, string>> = { wasi: 'runner.ts', library: `../program/${BESIDE}` }

async function runnerFile(): Promise<RunnerFile> {
  const folder = import.meta.dirname
  const path = join(folder, own(ELSEWHERE, basename(folder)) ?? BESIDE)
  const bytes = await withFile(openFile(path, { follow: true }), readWhole)
  // The source has nothing but JavaScript in it.
  return { name: `runner${extname(path).replace('.ts', '.mjs')}`, bytes }
}
