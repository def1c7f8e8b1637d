// Imports tools into an agent, or into a tools.json of their own. A dry run says what an import would change. Command and library both call it.

import { isDeepStrictEqual } from 'node:util'
import { NO_FILES, overlay } from '../agent/overlay.ts'
import { read } from '../agent/read-agent.ts'
import { findAgents } from '../io/find/find-agents.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { holdsText, writeResult } from '../io/write/new-files.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { ConversionChange } from '../model/conversion.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { type AddedTool, addTools, type NewTool, WrongTools } from '../scaffold/add-tool.ts'
import { writeTools } from '../scaffold/write-tools.ts'
import type { LabelledFile } from '../verb/kinds/paths.ts'
import { type ImportChoices, importFrom, leftOut } from './import.ts'
import type { Importer, ImportSource } from './importers/importer.ts'

export interface ImportResult {
  /** The file of the tools, as the caller called it. */
  readonly file: string
  readonly format: Importer['format']
  /** The agent that gets the tools, or the file, as the caller called it. */
  readonly to: string
  /** Ids, in the order of the file. */
  readonly tools: readonly string[]
  readonly changes: readonly ConversionChange[]
  /** Files that were written, by name. */
  readonly files: readonly string[]
  /** Lines that policy.caps has got; with `dryRun`, lines that it would get. */
  readonly granted: readonly string[]
  /** Lines that it would need: until it has them no runtime exposes the tools. */
  readonly missing: readonly string[]
  /** Whether a file changed; with `dryRun`, whether it would have. */
  readonly changed: boolean
}

interface Importing {
  /** As the caller called it. */
  readonly file: string
  readonly source: ImportSource
  readonly place: ImportPlace
  readonly options: ImportChoices
  /** Whether the caller grants what is missing without looking at it. */
  readonly grant: boolean
  readonly dryRun: boolean
  readonly failOnLoss: boolean
}

export interface ImportOutcome {
  readonly answer: ImportResult
  readonly tools: readonly NewTool[]
  /** Nothing was written, because a fact would be lost. */
  readonly isLossy: boolean
}

/** @param agrees whether policy.caps may get the lines of a plan; asked before anything is written */
export async function importInto(
  { file, source, place, options, grant, dryRun, failOnLoss }: Importing,
  agrees: (plan: AddedTool) => Promise<boolean>,
): Promise<ImportOutcome> {
  const imported = importFrom(source, options)
  const { tools, changes: leftOut } =
    options.onlyGood === true
      ? await goodTools(place, imported.tools)
      : { tools: imported.tools, changes: [] }
  const changes = [...imported.changes, ...leftOut, ...(place.is === 'file' ? factsLost(tools) : [])]
  const { plan } = await place.add(tools)
  const isLossy = failOnLoss && changes.some(({ what }) => what === 'lost')
  const changed = !isLossy && (await place.changes(tools, plan))
  const done = isLossy || dryRun ? NOT_WRITTEN : await writeGranted(place, plan, tools, () => agrees(plan))
  const lines = place.is === 'agent' ? (plan.policy?.added ?? []) : []
  const isGranted = done.isGranted || (dryRun && grant)
  const answer = {
    file,
    format: imported.format,
    to: place.label,
    tools: tools.map(({ tool }) => tool.id),
    changes,
    files: done.files,
    granted: isGranted ? lines : [],
    missing: isGranted ? [] : lines,
    changed,
  }
  return { answer, tools, isLossy }
}

/**
 * Leaves out the tools that lint refuses, with a loss for each.
 * @throws RlpError LINT_FAILED if no tool is left, or what is wrong is in none of them
 */
async function goodTools(
  place: ImportPlace,
  tools: readonly NewTool[],
): Promise<{ readonly tools: readonly NewTool[]; readonly changes: readonly ConversionChange[] }> {
  const changes: ConversionChange[] = []
  let left = tools
  // One is left out at a time at least, because each round finds one at least.
  for (;;) {
    try {
      await place.add(left)
      return { tools: left, changes }
    } catch (error) {
      if (!(error instanceof WrongTools)) throw error
      const good = left.filter(({ tool }) => !error.wrong.has(tool.id))
      if (good.length === 0 || good.length === left.length) throw error
      changes.push(...[...error.wrong].map(([name, why]) => leftOut({ name, why })))
      left = good
    }
  }
}

interface WrittenImport {
  readonly files: readonly string[]
  /** Whether policy.caps grants now what was missing. */
  readonly isGranted: boolean
}

const NOT_WRITTEN: WrittenImport = { files: [], isGranted: false }

/**
 * @param shown what the caller has seen of the change
 * @param agrees whether policy.caps may say what `shown` adds to it; only asked where there is something to add
 * @throws RlpError CHANGED_WHILE_READING when the lines would be others by now
 */
async function writeGranted(
  place: ImportPlace,
  { policy }: AddedTool,
  tools: readonly NewTool[],
  agrees: () => Promise<boolean>,
): Promise<WrittenImport> {
  // An empty list is valid, and changes nothing of an agent.
  if (place.is === 'agent' && tools.length === 0) return NOT_WRITTEN
  const isGranted = place.is === 'agent' && policy !== undefined && (await agrees())
  // Minutes may have gone by, so the new text is made from the file as it is now.
  const { agent, plan } = await place.add(tools)
  if (isGranted && !isDeepStrictEqual(plan.policy, policy)) {
    const file = `${place.label}/${POLICY_FILE}`
    throw new RlpError('CHANGED_WHILE_READING', `Cannot write "${file}": it changed meanwhile`, {
      hint: 'Run the command again',
    })
  }
  return { files: await place.write(agent, plan, isGranted), isGranted }
}

/** A tools.json alone has no interfaces.json beside it. */
function factsLost(tools: readonly NewTool[]): ConversionChange[] {
  return tools.flatMap(({ tool, facts }): ConversionChange[] => {
    const keys = Object.keys(facts)
    const message = `${keys.join(', ')}: only an agent has an interfaces.json; use --agent`
    return keys.length === 0 ? [] : [{ tool: tool.id, field: 'record', what: 'lost', message }]
  })
}

export interface ImportPlace {
  /** `agent` has a policy, and a place for facts beside tools.json. */
  readonly is: 'agent' | 'file'
  readonly label: string
  /** The file that holds the tools, for messages. */
  readonly file: string
  /** Its current content, and the files that the tools change. Cut while lint judges them. */
  add(tools: readonly NewTool[]): Promise<{ readonly agent: Agent; readonly plan: AddedTool }>
  /** Whether {@link write} would change a file. */
  changes(tools: readonly NewTool[], plan: AddedTool): Promise<boolean>
  /** @returns the files that were written. @param isGranted whether policy.caps may be written too */
  write(agent: Agent, plan: AddedTool, isGranted: boolean): Promise<string[]>
}

/** What the caller says of the place. */
interface PlaceArgs {
  readonly agent: string | undefined
  readonly out: LabelledFile | undefined
  readonly force: boolean
  readonly grant: boolean
  readonly agentsDir: string
}

/** @throws UsageError for options that exclude each other, RlpError if there is no such agent */
export async function importPlace(args: PlaceArgs, io: Setting): Promise<ImportPlace> {
  const { agent, out, force, grant } = args
  const misfit = (flag: string, why: string) =>
    new UsageError(`Cannot use --${flag}: ${why}`, { field: flag })
  if (agent !== undefined && out !== undefined) throw misfit('out', 'the tools go to the agent')
  if (agent !== undefined && force) throw misfit('force', 'only --out has it')
  if (out !== undefined && grant) throw misfit('grant', 'only an agent has a policy.caps')
  if (agent !== undefined) return agentPlace(agent, args, io)
  if (out !== undefined) return filePlace(out, force, io)
  throw new UsageError('Cannot import tools: nothing says where they go', {
    field: 'agent',
    hint: 'Name the agent that gets them, or a new file with --out',
  })
}

async function agentPlace(agent: string, { agentsDir }: PlaceArgs, io: Setting): Promise<ImportPlace> {
  const targets = await findAgents([agent], { agentsDir, cwd: io.cwd })
  const [target] = targets
  if (target === undefined || targets.length > 1)
    throw new UsageError(`Cannot import tools into "${agent}": it holds ${targets.length} agents`, {
      field: 'agent',
      hint: `Name one of them: ${targets
        .slice(0, 5)
        .map(({ label }) => label)
        .join(', ')}`,
    })
  const { label } = target
  return {
    is: 'agent',
    label,
    file: label === '.' ? TOOLS_FILE : `${label}/${TOOLS_FILE}`,
    add: async tools => added(await readSourceFolder(target, 'held', io), tools, io),
    changes: async tools => tools.length > 0,
    write: (read, plan, isGranted) => writeTools(target, read, plan, isGranted, io),
  }
}

/** Checked by the same rules as an agent's: a policy that grants nothing, and no tools yet. */
function filePlace({ path, label }: LabelledFile, force: boolean, io: Setting): ImportPlace {
  return {
    is: 'file',
    label,
    file: label,
    add: tools =>
      added(read(overlay(NO_FILES, new Map([[POLICY_FILE, '[capabilities]\n']])), label), tools, io),
    changes: async (_, { tools }) => !(await holdsText({ path, label, text: tools })),
    async write(_, { tools }) {
      await writeResult([{ path, label, text: tools }], { force, signal: io.signal })
      return [label]
    },
  }
}

async function added(agent: Agent, tools: readonly NewTool[], io: Setting) {
  return { agent, plan: await addTools(agent, tools, turnsOf(`checking "${agent.label}"`, io.signal)) }
}
