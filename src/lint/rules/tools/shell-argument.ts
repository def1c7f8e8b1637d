import { programOf, runsCode } from '../../../format/exec/program.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { startOf } from '../exec-starts.ts'
import type { Rule } from '../rule.ts'

export const toolsShellArgument: Rule = {
  id: 'tools/shell-argument',
  severity: 'warning',
  scope: 'source',
  summary: 'a pipe, a redirection or another shell operator among the arguments',
  why: 'No shell reads the arguments. The program gets "|" like any other argument and takes it for a file name; nothing is piped or redirected.',
  fix: 'Put the command line into a script on the host, and use the path of the script as command.',
  looks: 'exec',
  check({ at, tool: { transport } }, report) {
    const { transport: meant, placeOf } = startOf(transport)
    const { name } = programOf(meant)
    if (TAKING.has(name) || runsCode(meant)) return
    const index = meant.args.findIndex(arg => SIGN.test(arg))
    if (index === -1) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', ...placeOf(index)] },
      message: `${quoteText(meant.args[index] ?? '')} is passed to the program as an argument, because no shell reads it`,
      fix: 'Put the command line into a script on the host, and use its path as command',
    })
  },
}

const SIGN = /^(?:\||\|\||&&|&|;|[0-9]?>>?|<<?<?|&>|[0-9]?>&[0-9]|[0-9]?>>?\/\S+)$/
/** Programs that take such operators as arguments. */
const TAKING: ReadonlySet<string> = new Set('find fd expr test [ xargs parallel awk gawk bc dc'.split(' '))
