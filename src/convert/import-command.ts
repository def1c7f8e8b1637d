// rlp tool import: the tools of another system's file into an agent's tools.json, with everything that changes on the way.
import { resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { type CommandArgs, defineCommand } from '../cli/command.ts'
import { mayAsk, type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import { note, report } from '../cli/render/report.ts'
import { kindAt } from '../io/find/search-folders.ts'
import { readInput } from '../io/read/bounded.ts'
import { POLICY_FILE } from '../model/agent.ts'
import { UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { AddedTool } from '../scaffold/add-tool.ts'
import { askToGrant } from '../scaffold/wizard/tool-plan.ts'
import { writePath, writeWords } from '../text/shell-words.ts'
import { importInto } from './import-into.ts'
import type { ImportArgs } from './import-options.ts'
import { IMPORT_OPTIONS, installDirOf, namesIn, runChoiceOf } from './import-options.ts'
import type { ImportPlace } from './import-place.ts'
import { importPlace } from './import-place.ts'
import { conversionLines } from './render-export.ts'
import { renderImported } from './render-import.ts'

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
