// rlp tool import: the tools of another system's file into an agent's tools.json, with everything that changes on the way.
import { resolve } from 'node:path'
import { type CommandArgs, defineCommand, type GlobalArgs, type Io } from '../cli/command.ts'
import { mayAsk, NON_INTERACTIVE, type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import type { ArgsOf, OptionTable } from '../cli/option.ts'
import { note, report } from '../cli/render/report.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import { kindAt } from '../io/find/search-folders.ts'
import { readInput } from '../io/read/bounded.ts'
import { parseJson } from '../json/parse.ts'
import { POLICY_FILE } from '../model/agent.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { isTable } from '../model/own.ts'
import { addressMeant, neverReached } from '../policy/address.ts'
import { readUrl } from '../policy/host.ts'
import type { AddedTool } from '../scaffold/add-tool.ts'
import { headersOf } from '../scaffold/tool-options.ts'
import { askToGrant } from '../scaffold/wizard/tool-plan.ts'
import { checkShape } from '../schema/check.ts'
import { writePath, writeWords } from '../text/shell-words.ts'
import { toolsVersionOf } from '../tools/index.ts'
import { type ImportPlace, importInto, importPlace } from './import-into.ts'
import type { RunChoice } from './importers/run-choice.ts'
import { conversionLines, renderImported } from './render.ts'

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

type ImportArgs = ArgsOf<typeof IMPORT_OPTIONS, readonly []>

/** @throws UsageError; RlpError if a file cannot be read */
async function runChoiceOf(args: ImportArgs, io: Io): Promise<RunChoice | undefined> {
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
async function namesIn(name: string, io: Io): Promise<ReadonlyMap<string, string>> {
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
function installDirOf({ installDir }: ImportArgs, file: string, io: Io): string {
  if (installDir !== undefined) return resolve(io.cwd, installDir)
  return file === '-' ? io.cwd : resolve(io.cwd, file, '..')
}

const AGENT = {
  name: 'agent',
  required: true,
  names: 'source',
  describe: 'the agent that gets the tools: its folder, or its name; left out with --out',
  complete: 'dir',
} as const
const FILE = {
  name: 'file',
  describe: 'another system’s file of tools, or - for standard input',
} as const
const NAMES = {
  name: 'name',
  many: true,
  complete: 'none',
  describe: 'tools to import, by their names in the file; all of them when absent',
} as const

type Args = CommandArgs<typeof IMPORT_OPTIONS, readonly [typeof AGENT, typeof FILE, typeof NAMES]>

export const command = defineCommand({
  name: 'tool import',
  summary: 'add the tools of an agentcli, OpenAI, MCP or Agent Tool file to an agent',
  positionals: [AGENT, FILE, NAMES],
  options: IMPORT_OPTIONS,
  examples: [
    ['rlp tool import mailer tools.json --install-dir /opt/goagent', 'a tools.json of agentcli'],
    [
      'rlp tool import mailer tools-list.json --command /usr/bin/mcp-call',
      'what an MCP server answers to tools/list',
    ],
    [
      'rlp tool import functions.json --out new.json --transport-from agents/mailer/tools.json',
      'functions that were exported from there',
    ],
  ],
  notes:
    'The file’s content says which system it is of; a mixture is refused. What the file does not say is made up and listed, in warnings and under x-inferred in the entry; what tools.json has no place for is lost, and said. Facts that an MCP server or an Agent Tool record states go into interfaces.json.\n\npolicy.caps is never widened without a yes to the exact lines, or --grant. The files change in place, with their layout and comments; afterwards run rlp agent digest.',
  run: (args, io) => runImport(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runImport(args: Args, io: Io, open: OpenPrompter): Promise<ExitCode> {
  const words = wordsOf(args, io)
  const place = await importPlace({ ...args, agent: words.agent }, io)
  const source = await sourceOf(args, words.file, io)
  const run = await runChoiceOf(args, io)
  const options = {
    from: args.from,
    run,
    names: args.names === undefined ? undefined : await namesIn(args.names, io),
    only: words.names,
    fix: args.fix,
    onlyGood: args.onlyGood,
  }
  const { file } = words
  const { grant, dryRun, failOnLoss } = args
  const { answer, tools, isLossy } = await importInto(
    { file, source, place, options, grant, dryRun, failOnLoss },
    async plan => grant || (await agrees(plan, place, args, io, open)),
  )
  const isWritten = !isLossy && !dryRun
  const { missing } = answer
  report(io, args, {
    tool: 'tool.import',
    result: answer,
    warnings: [
      ...conversionLines(answer.changes),
      ...(missing.length > 0 ? [missingGrants(place.label, answer.tools, isWritten)] : []),
    ],
    text: () => (isLossy ? '' : renderImported({ ...answer, into: place, isWritten }, tools, args.quiet, io)),
  })
  if (isLossy) note(io, args, 'nothing was written: --fail-on-loss')
  return isLossy ? EXIT.bundle : EXIT.ok
}

function missingGrants(label: string, ids: readonly string[], isWritten: boolean): string {
  const [first = 'TOOL', ...others] = ids
  const edit = `rlp tool edit ${writePath(label)} ${others.length > 0 ? 'TOOL' : writeWords([first])} --grant`
  const how = isWritten
    ? `${edit} writes it${others.length > 0 ? ' for one of them' : ''}`
    : '--grant writes it'
  return `${label}/${POLICY_FILE} does not grant what they need: no runtime exposes them until it does; ${how}`
}

interface Words {
  readonly agent: string | undefined
  readonly file: string
  readonly names: readonly string[]
}

/**
 * An agent, a file and names; with --out no agent.
 * @throws UsageError for a file in the place of the agent, which is the order of before
 */
function wordsOf({ agent, file, name, out }: Args, io: Io): Words {
  const isAt = (word: string | undefined) =>
    word === '-' || (word !== undefined && kindAt(resolve(io.cwd, word)) === 'file')
  if (out !== undefined && !isAt(agent) && isAt(file))
    throw new UsageError(`Cannot use --out: the tools go to "${agent}"`, {
      field: 'out',
      hint: 'Leave out the one or the other',
    })
  if (out !== undefined)
    return { agent: undefined, file: agent, names: [...(file === undefined ? [] : [file]), ...name] }
  if (isAt(agent)) {
    const [into = 'AGENT', from] = [file, writeWords([agent])]
    throw new UsageError(`Cannot import tools into "${agent}": it is a file, and the agent comes first`, {
      field: 'agent',
      hint: `Write rlp tool import ${into} ${from}, or add --out FILE for a tools.json of its own`,
    })
  }
  if (file === undefined)
    throw new UsageError('Cannot run "rlp tool import": <file> is missing', {
      field: 'file',
      expected: FILE.describe,
      hint: 'Write rlp tool import <agent> <file> [name..] [options]',
    })
  return { agent, file, names: name }
}

async function sourceOf(args: Args, file: string, io: Io) {
  return {
    bytes: await readInput(file, io),
    label: file === '-' ? 'standard input' : file,
    installDir: installDirOf(args, file, io),
    platform: process.platform === 'win32' ? ('win32' as const) : ('posix' as const),
  }
}

/** Asks for the missing grant, if a person can be asked. */
async function agrees(
  { policy }: AddedTool,
  place: ImportPlace,
  args: ImportArgs & GlobalArgs,
  io: Io,
  open: OpenPrompter,
): Promise<boolean> {
  if (policy === undefined || !mayAsk(io, args)) return false
  const prompter = await open(`import tools into "${place.label}"`, io)
  prompter.intro(`New tools for ${place.label}`)
  const isGranted = await askToGrant(policy, prompter)
  prompter.outro('Writing')
  return isGranted
}
