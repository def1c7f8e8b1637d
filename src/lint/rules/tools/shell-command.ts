import { TOOLS_FILE } from '../../../model/agent.ts'
import { startOf } from '../exec-starts.ts'
import type { Rule } from '../rule.ts'

export const toolsShellCommand: Rule = {
  id: 'tools/shell-command',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool is a line of shell code',
  why: 'The grant says that a shell may be started, which is every program there is: the proof that tools stay within policy.caps ends at the program’s name.',
  fix: 'Name the program itself, with its arguments; or put the code into a script on the host and name its path.',
  looks: 'exec',
  check({ at, tool: { transport } }, report) {
    const { inline, placeOf } = startOf(transport)
    if (inline === undefined || !inline.isShell) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', ...placeOf(inline.index)] },
      message: `${inline.program} can start every program, whatever this line of code says`,
      fix: 'Name the program itself as command, and its arguments as args',
    })
  },
}
