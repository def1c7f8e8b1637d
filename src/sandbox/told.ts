// What a program may reach → for people and for programs, before it is started: the plan of a call, and rlp caps show --sandbox.
import { writeWords } from '../format/text/shell-words.ts'
import type { Enforced, SandboxProfile } from '../model/sandbox.ts'
import type { Tool } from '../model/tools.ts'

export interface Expecting {
  profile(tool: Tool): SandboxProfile
  expected(tool: Tool): Enforced
}

export function sandboxDetail(tool: Tool, sandbox: Expecting) {
  const { reads, writes, hosts, limits } = sandbox.profile(tool)
  return {
    enforced: sandbox.expected(tool),
    ...{ reads, writes, hosts },
    limits: {
      ...{ memory_mb: limits.memoryMb, processes: limits.processes },
      ...{ file_mb: limits.fileMb, open_files: limits.openFiles },
    },
  }
}

export function sandboxLines(
  tool: Tool,
  sandbox: Expecting,
): readonly (readonly [label: string, value: string])[] {
  const { by, limits: bound } = sandbox.expected(tool)
  if (by === 'none') return [['sandbox', 'none: it reaches what you reach']]
  const { reads, writes, hosts, limits } = sandbox.profile(tool)
  return [
    ['sandbox', by],
    ['reads', [...reads, 'programs and libraries of the system'].join(', ')],
    ['writes', [...writes, 'its own folder, /tmp'].join(', ')],
    ['network', hosts.length === 0 ? 'none' : `${hosts.join(' ')}, by https`],
    ['limits', `${limits.memoryMb} MiB for ${bound}`],
  ]
}

/** Of a program that was held, and failed: what it could reach, and how its author lets it reach more. */
export function reachedBy(
  tool: Tool,
  { by }: Pick<Enforced, 'by'>,
  sandbox: Pick<Expecting, 'profile'>,
): readonly string[] {
  if (by === 'none') return []
  const { reads, writes, hosts } = sandbox.profile(tool)
  const list = (texts: readonly string[]) => texts.join(', ') || 'none'
  const capabilities = [...tool.capabilities, 'fs_ro:/FOLDER'].join(',')
  return [
    `The program was held to its grants. Folders that it reads: ${list(reads)}; that it writes: ${list(writes)}; hosts: ${list(hosts)}. Other files of this machine are not there for it`,
    `To let it read one more folder, name that in place of /FOLDER: rlp tool edit AGENT ${writeWords([tool.id])} --capability ${writeWords([capabilities])} --grant`,
  ]
}
