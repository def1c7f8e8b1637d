// An exec tool + the arguments of a call → the command line, or why there is none, and its display before it runs. Pure.
import { isAbsolute } from 'node:path'
import type { RunLimits, RunPlan, RunRefusal } from '../../model/run.ts'
import type { Tool } from '../../model/tools.ts'
import { secretEnvName } from '../../policy/secret-id.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { sandboxDetail, sandboxLines } from '../../sandbox/told.ts'
import { quoteText } from '../../text/quote.ts'
import { execArgs } from './args.ts'
import { environmentProblem, execEnvironment, type Variables } from './environment.ts'

export interface ExecCommand {
  readonly command: string
  /** The author's own, filled. The path of the arguments' file precedes them. */
  readonly args: readonly string[]
}

/** Shown for the path of the arguments' file before it exists. */
const ARGUMENTS = '{arguments.json}'
/** Shown for the folder that is made for the call. */
const FRESH = '{empty folder}'

/** Every check that needs no side effect. */
export function execCommand(tool: Tool, input: unknown): ExecCommand | RunRefusal {
  const { transport } = tool
  if (transport.kind !== 'exec') return { kind: 'rejected', message: 'The tool is not a program' }
  if (process.platform === 'win32') {
    const message = 'Programs are run on systems with process groups only: Linux, macOS and their like'
    return { kind: 'unavailable', message, retryable: false }
  }
  const { command } = transport
  if (!isAbsolute(command) || command.includes('\0')) {
    return { kind: 'rejected', message: `Cannot start ${quoteText(command)}: it is no absolute path` }
  }
  const problem = environmentProblem(tool)
  if (problem !== undefined) return problem
  const filled = execArgs(transport.args, input)
  return 'kind' in filled ? filled : { command, args: filled.args }
}

interface PlanContext {
  readonly env: Variables
  readonly variables: readonly string[]
  /** Undefined for a fresh folder. */
  readonly cwd: string | undefined
  readonly limits: RunLimits
  readonly sandbox: Pick<Sandbox, 'profile' | 'expected'>
}

export function execPlan(
  tool: Tool,
  { command, args }: ExecCommand,
  { env, variables, cwd = FRESH, limits, sandbox }: PlanContext,
): RunPlan {
  const { stdin } = tool.rlp
  const isEndless = limits.timeoutMs === Number.POSITIVE_INFINITY
  const argv = [command, ...(stdin ? [] : [ARGUMENTS]), ...args]
  const named = new Map(variables.map(name => [name, '']))
  const { env: passed, envKeys } = execEnvironment(tool, env, { variables: named, secrets: new Map() })
  const secrets = [...new Set(tool.secrets)].map(id => ({ id, variable: secretEnvName(id) }))
  return {
    argv,
    cwd,
    envKeys,
    detail: {
      kind: 'exec',
      argv,
      arguments: stdin ? 'stdin' : 'file',
      cwd,
      env: Object.keys(passed),
      secrets,
      timeout_ms: isEndless ? 0 : limits.timeoutMs,
      sandbox: sandboxDetail(tool, sandbox),
    },
    lines: [
      ['command', [shown(command), ...(stdin ? [] : [ARGUMENTS]), ...args.map(quoted)].join(' ')],
      ['arguments', stdin ? 'on standard input' : 'in a private file, whose path is the first argument'],
      ['environment', Object.keys(passed).join(' ')],
      ...secrets.map(({ id, variable }): [string, string] => ['secret', `${variable}=*** (${id})`]),
      ['folder', cwd === FRESH ? 'a fresh, empty one' : cwd],
      [
        'time limit',
        isEndless
          ? `none; ${(limits.idleMs ?? 0) / 1000} s without output end it`
          : `${limits.timeoutMs / 1000} s`,
      ],
      ...sandboxLines(tool, sandbox),
    ],
  }
}

/** A plain path needs no quotes. */
function shown(command: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(command) ? command : quoted(command)
}

/** Quotes show where an argument begins and ends. Only text of rlp's own is without quotes. */
function quoted(arg: string): string {
  return JSON.stringify(arg)
}
