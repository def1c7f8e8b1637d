// rlp tool import: the tools of another system's file into an agent's tools.json, with everything that changes on the way.
import { dirname, resolve } from 'node:path'
import type { ArgsOf, OptionTable } from '../../cli/option.ts'
import type { Target } from '../../io/find/find-agents.ts'
import { kindAt } from '../../io/find/search-folders.ts'
import { type PathGiven, pathGiven, targetGiven } from '../../io/library/caller.ts'
import { readInput } from '../../io/read/bounded.ts'
import type { Setting } from '../../io/setting.ts'
import { parseJson } from '../../json/parse.ts'
import { POLICY_FILE } from '../../model/agent.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { EXIT } from '../../model/exit-code.ts'
import { isTable } from '../../model/own.ts'
import { addressMeant, neverReached } from '../../policy/address.ts'
import { readUrl } from '../../policy/host.ts'
import type { AddedTool } from '../../scaffold/add-tool.ts'
import { headersOf } from '../../scaffold/wizard/tool-answers.ts'
import { askToGrant } from '../../scaffold/wizard/tool-plan.ts'
import { checkShape } from '../../schema/check.ts'
import { writePath, writeWords } from '../../text/shell-words.ts'
import { toolsVersionOf } from '../../tools/index.ts'
import {
  type At,
  checked,
  commandOf,
  defineVerb,
  type Input,
  needed,
  texts,
  whether,
} from '../../verb/index.ts'
import { agentsDir } from '../../verb/kinds/agents.ts'
import { oneWord } from '../../verb/kinds/choices.ts'
import { labelledFile, path } from '../../verb/kinds/paths.ts'
import { type AskPerson, asking } from '../../verb/kinds/questions.ts'
import {
  type ImportOutcome,
  type ImportPlace,
  type ImportResult,
  importInto,
  importPlace,
} from '../import-into.ts'
import { IMPORTERS } from '../importers/index.ts'
import { type RunChoice, refuseWrongRun } from '../importers/run-choice.ts'
import { conversionLines, renderImported } from '../render.ts'

/** The arguments before it is known which is which: `--out` decides that. */
interface Words {
  readonly agent: string
  readonly file: string | undefined
  readonly name: readonly string[]
  readonly out: string | undefined
}

const FILE = 'another system’s file of tools, or - for standard input'

/**
 * An agent, a file and names; with --out no agent.
 * @throws UsageError for a file in the place of the agent, which is the order of before
 */
function wordsOf({ agent, file, name, out }: Words, { world: { cwd } }: At) {
  const isAt = (word: string | undefined) =>
    word === '-' || (word !== undefined && kindAt(resolve(cwd, word)) === 'file')
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
      expected: FILE,
      hint: 'Write rlp tool import <agent> <file> [name..] [options]',
    })
  return { agent, file, names: name }
}

const agent: Input<PathGiven, string | undefined> = {
  type: 'PathGiven',
  typed: {
    type: 'string',
    required: true,
    names: 'source',
    describe: 'the agent that gets the tools: its folder, or its name; left out with --out',
    complete: 'dir',
  },
  flags: {},
  fromTyped: (words: Words, at: At) => wordsOf(words, at).agent,
  fromGiven(given, { world }) {
    const path = pathGiven(given, world, 'import into')
    return typeof given === 'string' ? given : path
  },
}

const file: Input<PathGiven, Target> = {
  type: 'PathGiven',
  typed: { type: 'string', describe: FILE, optional: true },
  flags: {},
  fromTyped(words: Words, at: At) {
    const { file } = wordsOf(words, at)
    return { path: file, label: file }
  },
  fromGiven: (given, { world }) => targetGiven(given, world, 'import'),
}

const only: Input<readonly string[], readonly string[]> = {
  ...texts('tools to import, by their names in the file; all of them when absent', {
    flag: 'name',
    complete: 'none',
  }),
  flags: {},
  fromTyped: (words: Words, at: At) => wordsOf(words, at).names,
}

const RUN_OPTIONS = {
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
} as const satisfies OptionTable

const run: Input<RunChoice, RunChoice | undefined> = {
  type: 'RunChoice',
  flags: RUN_OPTIONS,
  fromTyped: runTyped,
  fromGiven(given) {
    refuseWrongRun(given)
    return given
  },
}

/** @throws UsageError; RlpError if a file cannot be read */
async function runTyped(
  { transportFrom, command, url, method, header }: ArgsOf<typeof RUN_OPTIONS, readonly []>,
  { world }: At,
): Promise<RunChoice | undefined> {
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
    return { is: 'from', label: transportFrom, tools: await toolsIn(transportFrom, world) }
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
async function toolsIn(name: string, io: Setting) {
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

type Names = Readonly<Record<string, string>>

const names: Input<Names, ReadonlyMap<string, string> | undefined> = {
  type: '{ readonly [name: string]: string }',
  typed: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'ids by names, as rlp tool export --names has written it',
  },
  async fromTyped(name: string, { world }: At) {
    const parsed = parseJson(name, await readInput(name, world))
    if (!parsed.ok) throw unreadable(name, parsed.problem.message)
    const { value } = parsed.document
    if (isNames(value)) return new Map(Object.entries(value))
    throw unreadable(name, 'it is no object of names and ids')
  },
  fromGiven: (given, at) =>
    new Map(Object.entries(checked(isNames, 'an object of names and ids')(given, at))),
}

function isNames(value: unknown): value is Names {
  return isTable(value) && Object.values(value).every(id => typeof id === 'string')
}

function unreadable(name: string, seen: string): RlpError {
  return new RlpError('WRONG_FILE_TYPE', `Cannot use "${name}": ${seen}`)
}

interface Imported extends ImportOutcome {
  readonly place: ImportPlace
}

/**
 * Takes the tools of another system's file into an agent, or into a tools.json of their own.
 *
 * @example
 * const { tools, missing } = await importTools('tools.json', { agent: 'agents/mailer', installDir: '/opt/goagent', grant: true })
 * console.log(tools, missing)
 *
 * @throws {@link RlpError} `WRONG_FILE_TYPE`, `NOT_CONVERTIBLE`, `LINT_FAILED` for tools that lint would refuse, `EXISTS`, `USAGE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'tool import',
  summary: 'add the tools of an agentcli, OpenAI, MCP or Agent Tool file to an agent',
  called: 'importTools',
  arguments: ['agent', 'file', 'only'],
  inputs: {
    /** The agent's folder that gets the tools; or `out`. */
    agent,
    file: needed(file),
    /** Only these, by their names in the file; all where this is left out. */
    only,
    /** The file's system; its content says it where this is left out. */
    from: oneWord(
      'the file’s system; its content says it if left out',
      IMPORTERS.map(({ format }) => format),
      { placeholder: 'FORMAT' },
    ),
    /** A tools.json of its own. */
    out: labelledFile(
      'write a tools.json of its own instead: no agent is named then, and the file comes first',
      { alias: 'o', doing: 'import into' },
    ),
    /** With `out`: replace a file that holds something else. */
    force: whether('with --out: replace a file that holds something else'),
    agentsDir,
    /** For agentcli: where `./tools/bin/` will lie; the folder of the file where this is left out. */
    installDir: path('agentcli: where ./tools/bin/ will lie; the file’s folder if left out', {
      placeholder: 'DIR',
      doing: 'import',
    }),
    /** How tools are run that the file only describes. */
    run,
    /** Leave out tools that cannot be imported, and say so in `changes`. */
    onlyGood: whether('leave out tools that cannot be imported'),
    /** Put arguments that are beside `properties` into it, and keywords in it beside it. */
    fix: whether('put arguments that are beside properties into it'),
    /** Ids by the names in the file. */
    names,
    /** Grant in policy.caps what the tools need and it lacks. */
    grant: whether('grant in policy.caps what the tools need and the policy lacks'),
    /** Write nothing: say what would be written. */
    dryRun: whether('write nothing; show what would be written'),
    /** Write nothing when a fact would be lost. */
    failOnLoss: whether('exit with 1, and write nothing, if a fact would be lost'),
    asking,
  },
  async run({ agent, file, out, force, agentsDir, installDir, asking, ...asked }, world): Promise<Imported> {
    const { grant, dryRun, failOnLoss, ...options } = asked
    const place = await importPlace({ agent, out, force, grant, agentsDir }, world)
    // No path of a program is that: theirs are absolute.
    const isStandardInput = file.path === '-'
    const source = {
      bytes: await readInput(file.path, world),
      label: isStandardInput ? 'standard input' : file.label,
      installDir: installDir ?? (isStandardInput ? world.cwd : dirname(resolve(world.cwd, file.path))),
      platform: process.platform === 'win32' ? ('win32' as const) : ('posix' as const),
    }
    const importing = { file: file.label, source, place, options, grant, dryRun, failOnLoss }
    const outcome = await importInto(importing, async plan => grant || agrees(plan, place, asking))
    return { ...outcome, place }
  },
  answer: ({ answer }): ImportResult => answer,
})

/** Asks for the missing grant, if a person can be asked. */
async function agrees(
  { policy }: AddedTool,
  { label }: ImportPlace,
  ask: AskPerson | undefined,
): Promise<boolean> {
  if (policy === undefined || ask === undefined) return false
  const prompter = await ask(`import tools into "${label}"`)
  prompter.intro(`New tools for ${label}`)
  const isGranted = await askToGrant(policy, prompter)
  prompter.outro('Writing')
  return isGranted
}

export const command = commandOf(verb, {
  flags: {
    agent: {
      type: 'refused',
      describe: 'the agent that gets the tools',
      instead: 'The agent comes first, as with the other commands: rlp tool import AGENT FILE',
    },
  },
  first: ['from', 'agent'],
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
  warnings: ({ answer, place, isLossy }, { asked: { dryRun } }) => [
    ...conversionLines(answer.changes),
    ...(answer.missing.length > 0 ? [missingGrants(place.label, answer.tools, !isLossy && !dryRun)] : []),
  ],
  quiet: ({ tools, isLossy }) => (isLossy ? [] : tools.map(({ tool }) => tool.id)),
  text: ({ answer, tools, place, isLossy }, { asked: { dryRun }, style }) =>
    isLossy ? '' : renderImported({ ...answer, into: place, isWritten: !dryRun }, tools, style),
  note: ({ isLossy }) => (isLossy ? 'nothing was written: --fail-on-loss' : undefined),
  exit: ({ isLossy }) => (isLossy ? EXIT.bundle : EXIT.ok),
})

function missingGrants(label: string, ids: readonly string[], isWritten: boolean): string {
  const [first = 'TOOL', ...others] = ids
  const edit = `rlp tool edit ${writePath(label)} ${others.length > 0 ? 'TOOL' : writeWords([first])} --grant`
  const how = isWritten
    ? `${edit} writes it${others.length > 0 ? ' for one of them' : ''}`
    : '--grant writes it'
  return `${label}/${POLICY_FILE} does not grant what they need: no runtime exposes them until it does; ${how}`
}
