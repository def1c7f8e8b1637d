// The files of an added tool → disk, the grant before the tool that needs it.
import { join } from 'node:path'
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import { refuseIfAborted } from '../io/write/write-atomic.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { AddedTool } from './add-tool.ts'

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
