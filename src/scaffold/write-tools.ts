// Writes a planned change of an agent's tools, for the commands and for the library. A grant is written before the tool that needs it.

import { join } from 'node:path'
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import type { Target } from '../io/find/find-agents.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import { refuseIfAborted } from '../io/write/write-atomic.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { type AddedTool, refuseUnreadable } from './add-tool.ts'
import { type ChangedTools, planRemoval, toolIn } from './change-tools.ts'

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

/** All of them, or none. @throws RlpError as {@link toolIn} and {@link planRemoval} */
export async function removeFrom(target: Target, ids: readonly string[], io: Setting): Promise<RemovedTools> {
  const tools = [...new Set(ids)]
  const agent = await readSourceFolder(target, 'held', io)
  refuseUnreadable(agent)
  for (const id of tools) toolIn(agent, id, 'remove')
  const plan = await planRemoval(agent, tools, turnsOf(`checking "${target.label}"`, io.signal))
  const changed = tools.length > 0
  const files = changed ? await writeTools(target, agent, plan, false, io) : []
  return { agent: target.label, tools, files, unused: plan.unused, changed }
}

function grantsOf({ policy }: Pick<AddedTool, 'policy'>, isGranted: boolean) {
  const lines = policy?.added ?? []
  return { granted: isGranted ? lines : [], missing: isGranted ? [] : lines }
}

/**
 * tools.json last: it never holds a tool whose grant is not written yet.
 * @param agent as it was read when `plan` was made: if a file has changed since, it stays, and nothing is written
 * @param isGranted whether policy.caps may be written too
 * @returns the files that were written, by name
 */
export async function writeTools(
  target: Target,
  agent: Agent,
  { policy, interfaces, tools }: AddedTool,
  isGranted: boolean,
  io: Setting,
): Promise<string[]> {
  const files: (readonly [file: string, text: string])[] = [
    ...(policy !== undefined && isGranted ? [[POLICY_FILE, policy.text] as const] : []),
    ...(interfaces === undefined ? [] : [[INTERFACES_FILE, interfaces] as const]),
    [TOOLS_FILE, tools],
  ]
  refuseIfAborted(io.signal)
  // Each file is ready on disk, beside its old version, before the one before it is put in place.
  const write = async (count: number): Promise<void> => {
    const [file, text] = files[count - 1] ?? []
    if (file === undefined || text === undefined) return
    await replaceFile(join(target.path, file), text, {
      label: `${target.label}/${file}`,
      before: agent.files.get(file)?.bytes,
      // Once a file is in place the others follow, even after Ctrl-C.
      signal: count === 1 ? io.signal : undefined,
      first: () => write(count - 1),
    })
  }
  await write(files.length)
  return files.map(([file]) => file)
}
