// Says to people and programs what a program may reach, before it is started: in the plan of a call, and in rlp caps show --sandbox.
import type { Enforced, SandboxProfile } from '../model/sandbox.ts'
import type { Tool } from '../model/tools.ts'
import { writeWords } from '../text/shell-words.ts'
import { isWithin } from './never-granted.ts'

export interface Expecting {
  profile(tool: Tool): SandboxProfile
  expected(tool: Tool): Enforced
}

export function sandboxDetail(tool: Tool, sandbox: Expecting) {
  const { reads, writes, hosts, limits } = sandbox.profile(tool)
  return {
    enforced: sandbox.expected(tool),
    reads,
    writes,
    hosts,
    limits: {
      memory_mb: limits.memoryMb,
      processes: limits.processes,
      file_mb: limits.fileMb,
      open_files: limits.openFiles,
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

/**
 * Says what a program that failed in its sandbox could reach, and how its author lets it reach more. If an argument of the tool names a path
 * that is out of reach, this is the path to grant. Arguments that a model filled in are not looked at: a grant is not for a model to propose.
 *
 * @param args as the tool has them, with their placeholders
 */
export function reachedBy(
  tool: Tool,
  args: readonly string[],
  { by }: Pick<Enforced, 'by'>,
  sandbox: Pick<Expecting, 'profile'>,
): readonly string[] {
  if (by === 'none') return []
  const profile = sandbox.profile(tool)
  const { reads, writes, hosts } = profile
  const list = (texts: readonly string[]) => texts.join(', ') || 'none'
  const unreached = args.find(arg => /^\/(?!.*\{\{)/s.test(arg) && isOutOfReach(arg, profile))
  const capabilities = [...tool.capabilities, `fs_ro:${unreached ?? '/FOLDER'}`].join(',')
  const edit = `rlp tool edit AGENT ${writeWords([tool.id])} --capability ${writeWords([capabilities])} --grant`
  return [
    `The program was held to its grants. Folders that it reads: ${list(reads)}; that it writes: ${list(writes)}; hosts: ${list(hosts)}. Other files of this machine are not there for it`,
    unreached === undefined
      ? `To let it read one more folder, name that in place of /FOLDER: ${edit}`
      : `An argument of the tool names ${unreached}, which is not among them. To let it read that: ${edit}`,
  ]
}

/** Of the paths that every program finds in a sandbox, the usual ones are enough: this is a hint. */
function isOutOfReach(path: string, { reads, writes }: SandboxProfile): boolean {
  const there = [...reads, ...writes, '/usr', '/bin', '/lib', '/lib64', '/etc', '/dev', '/proc', '/tmp']
  return !there.some(place => isWithin(path, place))
}
