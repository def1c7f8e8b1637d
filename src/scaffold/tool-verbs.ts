// What the library offers of an agent's tools: adding, changing and removing them in its folder.
import { readSourceFolder } from '../io/bundle/read-source.ts'
import { type CallerOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { copyGiven } from '../io/library/copy-given.ts'
import { runVerb } from '../io/library/verb.ts'
import { inTurns } from '../io/wait/breathe.ts'
import type { Tool } from '../model/tools.ts'
import { addToolInSteps, refuseUnreadable } from './add-tool.ts'
import { editTool, removeTools } from './change-tools.ts'
import { toolGiven } from './tool-given.ts'
import { toolIn } from './tool-in.ts'
import { writeTools } from './write-tools.ts'

export interface GrantingOptions extends CallerOptions {
  /** Also write into policy.caps what the tool needs and the policy lacks. Without it `missing` says what that is. */
  readonly grant?: boolean
}

export interface AddedToolResult {
  /** As the caller called it. */
  readonly agent: string
  readonly tool: string
  /** The files that were written, by name. */
  readonly files: readonly string[]
  /** Lines that policy.caps got. */
  readonly granted: readonly string[]
  /** Lines that policy.caps lacks: until it has them, the tool may not be used. */
  readonly missing: readonly string[]
}

export interface EditedToolResult extends AddedToolResult {
  /** Keys of its entry that changed. */
  readonly changed: readonly string[]
  /** Capabilities that policy.caps grants and no tool needs any more. It keeps them. */
  readonly unused: readonly string[]
}

export interface RemovedTools {
  /** As the caller called it. */
  readonly agent: string
  readonly tools: readonly string[]
  /** The files that were written, by name. */
  readonly files: readonly string[]
  /** As {@link EditedToolResult.unused}. */
  readonly unused: readonly string[]
}

/** What may change of a tool: all but its id. What is left out stays. */
export type ToolChanges = Partial<Omit<Tool, 'id'>>

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
    const steps = addToolInSteps(source, own)
    const plan = await inTurns(steps, `checking "${target.label}"`, io.signal)
    const isGranted = given.grant === true && plan.policy !== undefined
    const files = await writeTools(target, source, plan, isGranted, io)
    return { agent: target.label, tool: own.id, files, ...grantsOf(plan.policy?.added, isGranted) }
  })
}

/**
 * Changes a tool in the tools.json of an agent's folder. policy.caps is never narrowed.
 *
 * @example
 * const { changed } = await editTool('agents/mailer', 'mail.send', { description: 'Send one mail' })
 * console.log(changed)
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
    const own = copyGiven(changes, undefined, call => call) as ToolChanges
    const target = targetGiven(agent, io, 'change a tool of')
    const source = await readSourceFolder(target, 'held', io)
    refuseUnreadable(source)
    const tool = toolGiven({ ...toolIn(source, id, 'change'), ...own, id })
    const steps = editTool(source, tool, own.requiresConfirmation !== undefined)
    const plan = await inTurns(steps, `checking "${target.label}"`, io.signal)
    const isGranted = given.grant === true && plan.policy !== undefined
    const isChanged = plan.keys.length > 0 || isGranted
    const files = isChanged ? await writeTools(target, source, plan, isGranted, io) : []
    const { keys: changed, unused } = plan
    return {
      agent: target.label,
      tool: id,
      changed,
      files,
      unused,
      ...grantsOf(plan.policy?.added, isGranted),
    }
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
  return runVerb('removeTools', options, async (_, io) => {
    const tools = [...new Set(ids)]
    const target = targetGiven(agent, io, 'remove tools of')
    const source = await readSourceFolder(target, 'held', io)
    refuseUnreadable(source)
    for (const id of tools) toolIn(source, id, 'remove')
    const plan = await inTurns(removeTools(source, tools), `checking "${target.label}"`, io.signal)
    const files = await writeTools(target, source, plan, false, io)
    return { agent: target.label, tools, files, unused: plan.unused }
  })
}

function grantsOf(lines: readonly string[] = [], isGranted: boolean) {
  return { granted: isGranted ? lines : [], missing: isGranted ? [] : lines }
}
