// What the library offers of an agent's tools: adding, changing and removing them in its folder.

import { type CallerOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { copyGiven, runVerb } from '../io/library/verb.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import type { Tool } from '../model/tools.ts'
import { addTools, refuseUnreadable, stated } from './add-tool.ts'
import { editTool } from './change-tools.ts'
import { toolGiven } from './tool-given.ts'
import { toolIn } from './tool-in.ts'
import {
  type AddedToolResult,
  type EditedToolResult,
  type RemovedTools,
  removeFrom,
  writeAdded,
  writeEdited,
} from './written-tools.ts'

export interface GrantingOptions extends CallerOptions {
  /** Also write into policy.caps what the tool needs and the policy lacks. Without it `missing` says what that is. */
  readonly grant?: boolean
}

/** What may change of a tool. What is left out stays; with another `id` the tool is renamed. */
export type ToolChanges = Partial<Tool>

/**
 * Adds a tool to the tools.json of an agent's folder. Layout and comments of the files stay. Afterwards call {@link digest}.
 *
 * @example
 * const [tool] = (await loadBundle('old.agent.bundle', { expect: 'any' })).tools
 * if (tool !== undefined) console.log((await addTool('agents/mailer', tool, { grant: true })).granted)
 *
 * @throws {@link RlpError} `EXISTS` for an id that is taken; `LINT_FAILED` for a tool that lint refuses, or an agent that cannot be read; `USAGE` for
 * a need that no policy can grant; `NOT_FOUND`, `NOT_EDITABLE`, `CHANGED_WHILE_READING`, `CANCELLED`
 */
export async function addToolPath(
  agent: PathGiven,
  tool: Tool,
  options: GrantingOptions = {},
): Promise<AddedToolResult> {
  return runVerb('addTool', options, async (given, io) => {
    const own = toolGiven(tool)
    const target = targetGiven(agent, io, 'add a tool to')
    const source = await readSourceFolder(target, 'held', io)
    const plan = await addTools(
      source,
      [stated(source, own)],
      turnsOf(`checking "${target.label}"`, io.signal),
    )
    const isGranted = given.grant === true && plan.policy !== undefined
    return writeAdded({ target, agent: source, id: own.id, isGranted }, plan, io)
  })
}

/**
 * Changes a tool in the tools.json of an agent's folder. policy.caps is never narrowed.
 *
 * @example
 * const { keys } = await editTool('agents/mailer', 'mail.send', { description: 'Send one mail' })
 * console.log(keys)
 *
 * @throws {@link RlpError} `NOT_FOUND` for a tool that is not there, and as {@link addTool}
 */
export async function editToolPath(
  agent: PathGiven,
  id: string,
  changes: ToolChanges,
  options: GrantingOptions = {},
): Promise<EditedToolResult> {
  return runVerb('editTool', options, async (given, io) => {
    const own = copyGiven(changes, 'the changes') as ToolChanges
    const target = targetGiven(agent, io, 'change a tool of')
    const source = await readSourceFolder(target, 'held', io)
    refuseUnreadable(source)
    const tool = toolGiven({ ...toolIn(source, id, 'change'), ...own })
    const turn = turnsOf(`checking "${target.label}"`, io.signal)
    const plan = await editTool(source, { was: id, tool }, own.requiresConfirmation !== undefined, turn)
    const isGranted = given.grant === true && plan.policy !== undefined
    return writeEdited({ target, agent: source, id: tool.id, isGranted }, plan, io)
  })
}

/**
 * Takes tools out of the tools.json of an agent's folder, with their records in interfaces.json: all of them, or none.
 *
 * @example
 * console.log((await removeTools('agents/mailer', ['mail.send'])).unused)
 *
 * @throws {@link RlpError} as {@link editTool}
 */
export async function removeToolsPath(
  agent: PathGiven,
  ids: readonly string[],
  options: CallerOptions = {},
): Promise<RemovedTools> {
  return runVerb('removeTools', options, (_, io) =>
    removeFrom(targetGiven(agent, io, 'remove tools of'), ids, io),
  )
}
