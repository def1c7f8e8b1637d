// The options of `tool import` → where the file's tools go, how they are run, and their names.

import { resolve } from 'node:path'
import type { Io } from '../cli/command.ts'
import { NON_INTERACTIVE } from '../cli/interactive.ts'
import type { ArgsOf, OptionTable } from '../cli/option.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import { readInput } from '../io/read/bounded.ts'
import { parseJson } from '../json/parse.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { isTable } from '../model/own.ts'
import { addressMeant, neverReached } from '../policy/address.ts'
import { readUrl } from '../policy/host.ts'
import { headersOf } from '../scaffold/tool-options.ts'
import { checkShape } from '../schema/check.ts'
import { toolsVersionOf } from '../tools/index.ts'
import type { RunChoice } from './importers/run-choice.ts'

export const IMPORT_OPTIONS = {
  from: {
    type: 'string',
    choices: ['agentcli', 'openai', 'mcp', 'agent-tool', 'anthropic', 'gemini'],
    placeholder: 'FORMAT',
    describe: 'the file’s system; its content says it if left out',
  },
  agent: {
    type: 'refused',
    describe: 'the agent that gets the tools',
    instead: 'The agent comes first, as with the other commands: rlp tool import AGENT FILE',
  },
  out: {
    type: 'string',
    alias: 'o',
    placeholder: 'FILE',
    describe: 'write a tools.json of its own instead: no agent is named then, and the file comes first',
  },
  force: { type: 'boolean', describe: 'with --out: replace a file that holds something else' },
  ...AGENT_OPTIONS,
  'install-dir': {
    type: 'string',
    placeholder: 'DIR',
    describe: 'agentcli: where ./tools/bin/ will lie; the file’s folder if left out',
  },
  'transport-from': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'all but agentcli: run them as the tools of the same ids in this tools.json are',
  },
  command: {
    type: 'string',
    placeholder: 'PATH',
    describe:
      'all but agentcli: run them by this program; the tool’s name is its argument, JSON comes on standard input',
  },
  url: {
    type: 'string',
    placeholder: 'URL',
    describe: 'all but agentcli: run them by a request; {name} is the tool’s name',
  },
  method: { type: 'string', placeholder: 'METHOD', describe: 'with --url: POST if left out' },
  header: { type: 'strings', commas: false, placeholder: "'NAME: VALUE'", describe: 'with --url: a header' },
  'only-good': { type: 'boolean', describe: 'leave out tools that cannot be imported' },
  fix: { type: 'boolean', describe: 'put arguments that are beside properties into it' },
  names: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'ids by names, as rlp tool export --names has written it',
  },
  grant: { type: 'boolean', describe: 'grant in policy.caps what the tools need and the policy lacks' },
  'dry-run': { type: 'boolean', describe: 'write nothing; show what would be written' },
  'fail-on-loss': { type: 'boolean', describe: 'exit with 1, and write nothing, if a fact would be lost' },
  'non-interactive': NON_INTERACTIVE,
} as const satisfies OptionTable

export type ImportArgs = ArgsOf<typeof IMPORT_OPTIONS, readonly []>

/** @throws UsageError; RlpError if a file cannot be read */
export async function runChoiceOf(args: ImportArgs, io: Io): Promise<RunChoice | undefined> {
  const { transportFrom, command, url, method, header } = args
  const given = Object.entries({ 'transport-from': transportFrom, command, url }).filter(
    ([, value]) => value !== undefined,
  )
  const [first, second] = given.map(([flag]) => flag)
  if (second !== undefined)
    throw new UsageError(`Cannot use --${second} with --${first}: one of them says how tools are run`, {
      field: second,
    })
  if (url === undefined && (method !== undefined || header.length > 0)) {
    const field = method === undefined ? 'header' : 'method'
    throw new UsageError(`Cannot use --${field} without --url`, { field })
  }
  if (transportFrom !== undefined)
    return { is: 'from', label: transportFrom, tools: await toolsIn(transportFrom, io) }
  if (command !== undefined) return { is: 'command', command }
  if (url === undefined) return undefined
  // The name is a value like any other: it must not decide where a request goes.
  const reach = readUrl(url.replaceAll('{name}', '{{input.name}}'))
  if ('problem' in reach)
    throw new UsageError(`Cannot use --url: ${reach.problem}`, { field: 'url', hint: reach.fix })
  const why = neverReached(reach)
  if (why !== undefined) {
    const meant = addressMeant(reach.host)
    throw new UsageError(`Cannot use --url: no call is ever sent to ${reach.host}: it is ${why}`, {
      field: 'url',
      hint: `Write ${meant === undefined ? 'the address that is meant' : url.replace(reach.host, meant)}`,
    })
  }
  return { is: 'url', method: (method ?? 'POST').toUpperCase(), url, headers: headersOf(header) }
}

/** The tools of a tools.json, which need not be inside an agent. */
async function toolsIn(name: string, io: Io) {
  const parsed = parseJson(name, await readInput(name, io))
  const version = parsed.ok ? toolsVersionOf(parsed.document) : undefined
  const problem = parsed.ok ? undefined : parsed.problem.message
  if (parsed.ok && version?.is === 'known') {
    const [wrong] = checkShape(version.row.shape, parsed.document.value)
    if (wrong === undefined) return version.row.read(parsed.document.value).tools
    throw unreadable(name, wrong.message)
  }
  throw unreadable(name, problem ?? 'it is no tools.json of a version that is known here')
}

/** Name → id. @throws RlpError WRONG_FILE_TYPE */
export async function namesIn(name: string, io: Io): Promise<ReadonlyMap<string, string>> {
  const parsed = parseJson(name, await readInput(name, io))
  if (!parsed.ok) throw unreadable(name, parsed.problem.message)
  const { value } = parsed.document
  const entries = isTable(value) ? Object.entries(value) : undefined
  if (entries?.every(([, id]) => typeof id === 'string')) return new Map(entries as [string, string][])
  throw unreadable(name, 'it is no object of names and ids')
}

function unreadable(name: string, seen: string): RlpError {
  return new RlpError('WRONG_FILE_TYPE', `Cannot use "${name}": ${seen}`)
}

/** Absolute. */
export function installDirOf({ installDir }: ImportArgs, file: string, io: Io): string {
  if (installDir !== undefined) return resolve(io.cwd, installDir)
  return file === '-' ? io.cwd : resolve(io.cwd, file, '..')
}
