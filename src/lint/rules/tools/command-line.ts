import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import { type OddCommand, oddCommand, oddWords } from '../../../tools/command-oddities.ts'
import type { Rule } from '../rule.ts'

export const toolsCommandLine: Rule = {
  id: 'tools/command-line',
  severity: 'error',
  scope: 'source',
  summary: 'an exec command is more than the path of a program',
  why: 'No shell reads it: the system looks for one file of this whole name. A grant of it would be of a name that says something else than it does; and what is below /proc, /dev and /sys depends on who asks.',
  fix: 'Write the path of the program as command, and each argument as an entry of args.',
  looks: 'exec',
  check({ at, tool: { transport } }, report) {
    const odd = oddCommand(transport.command)
    if (odd === undefined) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', 'command'] },
      message: `The command ${quoteText(transport.command)} ${oddWords(odd)}`,
      fix: fixOf(odd, transport.args),
    })
  },
}

function fixOf(odd: OddCommand, args: readonly string[]): string {
  if (odd.is === 'elsewhere') return 'Write the path where the program is installed, for example /usr/bin/jq'
  if (odd.is === 'shell')
    return 'Write the path of one program, for example /usr/bin/jq, and its arguments as args'
  const [command, ...words] = odd.words
  const list = [...words, ...args].map(word => quoteText(word)).join(', ')
  return `Write "command": ${quoteText(command)} and "args": [${list}]`
}
