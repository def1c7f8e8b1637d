// The command as people run it: a process of its own, which runs what was built.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { builtProgram } from './built.ts'

/** Where neither keys nor a trust policy are. */
export const NO_HOME: string = join(tmpdir(), 'rlp-no-home')

/** Arguments of `node` that start the command. */
export const PROGRAM: readonly string[] = [builtProgram()]

let reachable: readonly string[] | undefined

/** The same for another user, who cannot start what is below a folder that only root may enter: a copy, gone when the tests end. */
function programForOthers(): readonly string[] {
  if (reachable !== undefined) return reachable
  const folder = mkdtempSync(join(tmpdir(), 'rlp-reachable-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  cpSync(dirname(builtProgram()), folder, { recursive: true, filter: path => basename(path) !== 'compiled' })
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o755)
  reachable = [join(folder, 'rlp.cjs')]
  return reachable
}

/** Arguments of `node` that let it read everything and do nothing else; `--allow-…` behind them let it do more. */
export const READ_ONLY: readonly string[] = [
  '--no-warnings',
  process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
  '--allow-fs-read=*',
]

export interface Ran {
  /** Null when a signal ended it, as one does after `timeoutMs`. */
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

export interface RunOptions {
  readonly cwd: string
  /** Another user, group included; only root may ask for one. */
  readonly uid?: number
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Octal digits; needs a POSIX shell. */
  readonly umask?: string
  /** Another program than the one that is tested: a copy of it, in a place of its own. */
  readonly program?: string
  /** Another Node than the one that runs the tests. */
  readonly node?: string
  /** Arguments of `node` before the program's. */
  readonly nodeArgs?: readonly string[]
  /** Called as soon as the process is there. */
  readonly started?: (child: ChildProcess) => void
  readonly timeoutMs?: number
  /** Start it with descriptors beside its standard streams, as some shells do. */
  readonly handsOn?: boolean
}

/** Number 3, and one above the first sixteen, up to which Node keeps what it was started with from its own programs. */
const HANDED_ON = ['pipe', ...Array(36).fill('ignore'), 'pipe']

/** Runs `rlp <args>` and waits for its end. Standard input is closed. */
export function rlp(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { cwd, uid, umask, node = process.execPath, nodeArgs = [], timeoutMs = 60_000 } = options
  const built = uid === undefined ? PROGRAM : programForOthers()
  const start = options.program === undefined ? built : [options.program]
  const line = [node, ...nodeArgs, ...start, ...args]
  const wrapped = umask === undefined ? line : ['/bin/sh', '-c', `umask ${umask}; exec "$@"`, 'sh', ...line]
  const [program = '', ...rest] = wrapped
  const begin = performance.now()
  const child = spawn(program, rest, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.handsOn ? HANDED_ON : [])],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    // Neither colours nor the trust policy and the keys of the user who runs the tests.
    env: { ...process.env, NO_COLOR: '1', RUNLOOP_HOME: NO_HOME, ...options.env },
    ...(uid !== undefined && { uid, gid: uid }),
  })
  options.started?.(child)
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', chunk => (stdout += chunk))
  child.stderr?.setEncoding('utf8').on('data', chunk => (stderr += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exit, signal) => {
      // Of the variable that switches off the check of certificates, Node warns whatever a program does.
      const [warning] = /^\(node:[0-9]+\) (?!.*NODE_TLS_REJECT_UNAUTHORIZED).*/m.exec(stderr) ?? []
      if (warning !== undefined)
        reject(new Error(`rlp ${args.join(' ')} printed a warning of Node: ${warning}`))
      else resolve({ exit, signal, stdout, stderr, ms: performance.now() - begin })
    })
  })
}

/** The same, with the most memory it held and the processor time it took: a busy machine changes neither. */
export async function rlpMeasured(
  args: readonly string[],
  options: RunOptions,
): Promise<Ran & { mebibytes: number; cpuMs: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'rlp-rss-'))
  const file = join(folder, 'used')
  const script = `import { writeFileSync } from 'node:fs'
    process.on('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.resourceUsage())))`
  try {
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
    const ran = await rlp(args, { ...options, nodeArgs })
    const used = JSON.parse(readFileSync(file, 'utf8')) as NodeJS.ResourceUsage
    return { ...ran, mebibytes: used.maxRSS / 1024, cpuMs: (used.userCPUTime + used.systemCPUTime) / 1000 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a line of shell in which `"$@"` is the command. */
export function shell(
  cwd: string,
  line: string,
  args: readonly string[],
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn('/bin/sh', ['-c', line, 'sh', process.execPath, ...PROGRAM, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', RUNLOOP_HOME: NO_HOME },
    timeout: 30_000,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => (stdout += chunk))
  child.stderr.on('data', chunk => (stderr += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', status => resolve({ status, stdout, stderr }))
  })
}

/** Whether this process may become another user. */
export const IS_ROOT = process.getuid?.() === 0
/** A user that owns nothing. */
export const NOBODY = 65534
/** Options of a process that file modes stop: not root. */
export const MORTAL: { readonly uid?: number } = IS_ROOT ? { uid: NOBODY } : {}
