import { programOf, runsCode } from '../../../format/exec/program.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { startOf } from '../exec-starts.ts'
import type { Rule } from '../rule.ts'

export const toolsShellArgument: Rule = {
  id: 'tools/shell-argument',
  severity: 'warning',
  scope: 'source',
  summary: 'a pipe, a redirection or another sign for a shell among the arguments',
  why: 'No shell reads them: the program gets "|" as an argument like the others, and takes it for a file or refuses it. Nothing is piped or written anywhere.',
  fix: 'Put the line into a script on the host, and name the path of the script as command.',
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
      message: `${quoteText(meant.args[index] ?? '')} is an argument like the others, because no shell reads it`,
      fix: 'Put the line into a script on the host, and name its path as command',
    })
  },
}

const SIGN = /^(?:\||\|\||&&|&|;|[0-9]?>>?|<<?<?|&>|[0-9]?>&[0-9]|[0-9]?>>?\/\S+)$/
/** Programs for which such a sign is an argument. */
const TAKING: ReadonlySet<string> = new Set('find fd expr test [ xargs parallel awk gawk bc dc'.split(' '))
