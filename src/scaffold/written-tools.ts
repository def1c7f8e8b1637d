// A change of an agent's tools that was planned → its files on disk, and what became of it: for the commands and for the library.

import type { Target } from '../io/find/find-agents.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import type { Agent } from '../model/agent.ts'
import { type AddedTool, refuseUnreadable } from './add-tool.ts'
import { type ChangedTools, removeTools } from './change-tools.ts'
import { toolIn } from './tool-in.ts'
import { writeTools } from './write-tools.ts'

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
  /** Whether a file was written. */
  readonly changed: boolean
}

export interface EditedToolResult extends AddedToolResult {
  /** Keys of its entry that changed. */
  readonly keys: readonly string[]
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
  /** Whether a file was written. */
  readonly changed: boolean
}

interface Writing {
  readonly target: Target
  /** As it was read when the change was planned. */
  readonly agent: Agent
  readonly id: string
  /** Whether policy.caps may be written too. */
  readonly isGranted: boolean
}

export async function writeAdded(writing: Writing, plan: AddedTool, io: Setting): Promise<AddedToolResult> {
  const { target, agent, id, isGranted } = writing
  const files = await writeTools(target, agent, plan, isGranted, io)
  return { agent: target.label, tool: id, files, ...grantsOf(plan, isGranted), changed: true }
}

/** Writes no file where nothing changes. */
export async function writeEdited(
  writing: Writing,
  plan: ChangedTools,
  io: Setting,
): Promise<EditedToolResult> {
  const { target, agent, id, isGranted } = writing
  const { keys, unused } = plan
  const changed = keys.length > 0 || isGranted
  const files = changed ? await writeTools(target, agent, plan, isGranted, io) : []
  return { agent: target.label, tool: id, keys, files, unused, ...grantsOf(plan, isGranted), changed }
}

/** All of them, or none. @throws RlpError as {@link toolIn} and {@link removeTools} */
export async function removeFrom(target: Target, ids: readonly string[], io: Setting): Promise<RemovedTools> {
  const tools = [...new Set(ids)]
  const agent = await readSourceFolder(target, 'held', io)
  refuseUnreadable(agent)
  for (const id of tools) toolIn(agent, id, 'remove')
  const plan = await removeTools(agent, tools, turnsOf(`checking "${target.label}"`, io.signal))
  const changed = tools.length > 0
  const files = changed ? await writeTools(target, agent, plan, false, io) : []
  return { agent: target.label, tools, files, unused: plan.unused, changed }
}

function grantsOf({ policy }: Pick<AddedTool, 'policy'>, isGranted: boolean) {
  const lines = policy?.added ?? []
  return { granted: isGranted ? lines : [], missing: isGranted ? [] : lines }
}
