// The target of imported tools: an agent, or a tools.json of their own.
import { resolve } from 'node:path'
import { NO_FILES, overlay } from '../agent/overlay.ts'
import { read } from '../agent/read-agent.ts'
import { findAgents } from '../io/find/find-agents.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { holdsText, writeResult } from '../io/write/new-files.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { UsageError } from '../model/error.ts'
import { type AddedTool, addTools, type NewTool } from '../scaffold/add-tool.ts'
import { writeTools } from '../scaffold/write-tools.ts'

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
export interface PlaceArgs {
  readonly agent: string | undefined
  readonly out: string | undefined
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
function filePlace(out: string, force: boolean, io: Setting): ImportPlace {
  const path = resolve(io.cwd, out)
  return {
    is: 'file',
    label: out,
    file: out,
    add: tools =>
      added(read(overlay(NO_FILES, new Map([[POLICY_FILE, '[capabilities]\n']])), out), tools, io),
    changes: async (_, { tools }) => !(await holdsText({ path, label: out, text: tools })),
    async write(_, { tools }) {
      await writeResult([{ path, label: out, text: tools }], { force, signal: io.signal })
      return [out]
    },
  }
}

async function added(agent: Agent, tools: readonly NewTool[], io: Setting) {
  return { agent, plan: await addTools(agent, tools, turnsOf(`checking "${agent.label}"`, io.signal)) }
}
