import { meantCall } from '../../../format/exec/odd-command.ts'
import { inlineCode } from '../../../format/exec/program.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'
import { toolsOfKind } from '../tools-of-kind.ts'

export const toolsShellCommand: Rule = {
  id: 'tools/shell-command',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool is a line of shell code',
  why: 'The grant says that a shell may be started, which is every program there is: the proof that tools stay within policy.caps ends at the program’s name.',
  fix: 'Name the program itself, with its arguments; or put the code into a script on the host and name its path.',
  *check(agent) {
    for (const [index, { transport }] of toolsOfKind(agent.tools, 'exec')) {
      yield
      const { transport: meant, placeOf } = meantCall(transport)
      const inline = inlineCode(meant)
      if (inline === undefined || !inline.isShell) continue
      yield {
        file: TOOLS_FILE,
        place: { pointer: ['tools', index, 'transport', ...placeOf(inline.index)] },
        message: `${inline.program} can start every program, whatever this line of code says`,
        fix: 'Name the program itself as command, and its arguments as args',
      }
    }
  },
}
