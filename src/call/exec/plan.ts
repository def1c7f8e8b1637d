// Makes the command line and the environment of a program, or says why there is none (docs/running.md). A dry run shows the same.
import { isAbsolute } from 'node:path'
import { ALWAYS_PASSED, toolEnvironment } from '../../agentcli/environment.ts'
import { withoutKeys } from '../../io/process/without-keys.ts'
import type { RunLimits, RunPlan, RunRefusal } from '../../model/run.ts'
import type { Tool } from '../../model/tools.ts'
import { isForbiddenEnv } from '../../policy/code-variables.ts'
import { secretEnvName } from '../../policy/secret-id.ts'
import { sandboxDetail, sandboxLines } from '../../sandbox/reach.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { quoteText } from '../../text/quote.ts'
import { readTemplate } from '../../tools/template.ts'
import { inputText } from '../input-text.ts'
import { needsHandingOver } from '../secrets.ts'

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

/**
 * A value is never split. A value with a leading dash could be read as an option, so it is refused unless the author wrote text before it
 * in the same element, or `--` as an earlier element, or it is a number: no option is named by digits, and an author whose program takes
 * `-5` as an option can set a minimum in the schema.
 */
function execArgs(
  templates: readonly string[],
  input: unknown,
): { readonly args: readonly string[] } | RunRefusal {
  const args: string[] = []
  for (const template of templates) {
    const filled = fill(template, input)
    if (typeof filled !== 'object') {
      args.push(filled)
      continue
    }
    if ('kind' in filled) return filled
    const { text, field, isLed, isNumber } = filled
    if (text.includes('\0')) return refuse(field, 'must not hold NUL: it is part of a command line')
    const isOption = text.startsWith('-') && !isLed && !(isNumber && NEGATIVE.test(text))
    if (isOption && !templates.slice(0, args.length).includes('--')) {
      return refuse(field, 'must not begin with "-": the program would read it as an option')
    }
    args.push(text)
  }
  return { args }
}

/** Without an exponent: many programs read `-1e5` as a list of options. */
const NEGATIVE = /^-[0-9]+(?:\.[0-9]+)?$/

interface Filled {
  readonly text: string
  /** Of the first value. */
  readonly field: string
  /** Whether the author's own text comes first. */
  readonly isLed: boolean
  /** Whether the element is one number and nothing else. */
  readonly isNumber: boolean
}

function fill(template: string, input: unknown): string | Filled | RunRefusal {
  const parts = readTemplate(template)
  let text = ''
  let first: string | undefined
  let isNumber = false
  for (const part of parts) {
    if (part.kind === 'text') {
      text += part.text
      continue
    }
    if (part.kind !== 'input') {
      return {
        kind: 'rejected',
        message: `Cannot run the program: ${quoteText(part.text)} cannot be filled in`,
      }
    }
    const value = inputText(input, part.path)
    if ('problem' in value) return { kind: 'invalid_args', message: value.problem, field: value.field }
    first ??= value.field
    isNumber = value.isNumber && parts.length === 1
    text += value.text
  }
  return first === undefined ? text : { text, field: first, isLed: parts[0]?.kind === 'text', isNumber }
}

function refuse(field: string, problem: string): RunRefusal {
  return { kind: 'invalid_args', message: `Property '${field}' ${problem}`, field }
}

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Why a tool’s variables are refused. Verification of a bundle checks the same; this covers unverified folders, and two names that mean
 * one variable.
 */
function environmentProblem({ rlp, secrets }: Tool): RunRefusal | undefined {
  const forbidden = rlp.env.find(isForbiddenEnv)
  if (forbidden !== undefined) {
    const message = `Cannot pass on ${quoteText(forbidden)}: it changes which code the program runs`
    return { kind: 'rejected', message, extra: { reason: 'env_not_permitted' } }
  }
  // A secret may not replace a fixed variable: with another PATH the tool would start other programs.
  const taken = new Set([...ALWAYS_PASSED, ...rlp.env])
  for (const id of new Set(secrets)) {
    const name = secretEnvName(id)
    if (isForbiddenEnv(name) || taken.has(name)) {
      const message = `Cannot hand over the secret ${quoteText(id)}: its variable ${quoteText(name)} has another meaning here`
      return { kind: 'rejected', message, extra: { reason: 'secret_not_permitted' } }
    }
    taken.add(name)
  }
  return undefined
}

interface ExecEnvironment {
  readonly env: Readonly<Record<string, string>>
  /** For the audit line: names only. */
  readonly envKeys: readonly string[]
}

/** The values that a call hands over: variables that need a grant by name, secrets by id. */
interface HandedOver {
  readonly variables: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
}

/** Takes nothing from `parent` that needs a grant. */
export function execEnvironment(
  { rlp, secrets }: Tool,
  parent: Variables,
  { variables, secrets: values }: HandedOver,
): ExecEnvironment {
  const all = { ...withoutKeys(parent), ...Object.fromEntries(variables) }
  const { env, envKeys } = toolEnvironment(
    all,
    rlp.env.filter(name => !needsHandingOver(name) || variables.has(name)),
  )
  const ids = [...new Set(secrets)]
  const named = ids.flatMap(id => {
    const value = values.get(id)
    return value === undefined ? [] : [[secretEnvName(id), value] as const]
  })
  return { env: { ...env, ...Object.fromEntries(named) }, envKeys: [...envKeys, ...ids.map(secretEnvName)] }
}
