import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import { programOf, runsCode } from '../../../tools/program.ts'
import { scriptsIn } from '../../../tools/script.ts'
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
    if (!meant.args.some(isHabit)) return
    const { name } = programOf(meant)
    if (TAKING.has(name) || runsCode(meant)) return
    const code = new Set(scriptsIn(meant).map(({ index }) => index))
    for (const [index, argument] of meant.args.entries()) {
      const habit = code.has(index) ? undefined : habitIn(argument)
      if (habit === undefined) continue
      report({ file: TOOLS_FILE, place: { pointer: [...at, 'transport', ...placeOf(index)] }, ...habit })
      // What is behind a pipe is another command.
      if (habit.fix === AS_SCRIPT) return
    }
  },
}

const AS_SCRIPT = 'Put the command line into a script on the host, and use its path as command'
/** An operator, perhaps with what it applies to, or a command in place of an argument. */
const SIGN =
  /^(?:\||\|\||&&|&|;|[0-9]?>>?|<<?<?|&>|[0-9]?>&[0-9]|[0-9]?>>?\/\S+|(?:\||&&|>>?|<) [\w./~-][^\n]{0,200}|\$\([^)]{1,200}\)|`[^`]{1,200}`)$/
const QUOTED = /^(["'])(\{\{input\.[^{}]{1,200}\}\})\1$/
const OPTION_AND_VALUE = /^(-{1,2}[A-Za-z][\w-]{0,60}) (\{\{input\.[^{}]{1,200}\}\})$/

function isHabit(argument: string): boolean {
  return SIGN.test(argument) || QUOTED.test(argument) || OPTION_AND_VALUE.test(argument)
}

/** What only a shell would take apart. */
function habitIn(argument: string): { readonly message: string; readonly fix: string } | undefined {
  const shown = quoteText(argument)
  if (SIGN.test(argument))
    return {
      message: `${shown} is passed to the program as an argument, because no shell reads it`,
      fix: AS_SCRIPT,
    }
  const [, , bare] = QUOTED.exec(argument) ?? []
  if (bare !== undefined)
    return {
      message: `${shown} is passed with its quotes, because no shell removes them`,
      fix: `Replace it with ${quoteText(bare)}`,
    }
  const [, option, value] = OPTION_AND_VALUE.exec(argument) ?? []
  if (option === undefined || value === undefined) return undefined
  return {
    message: `${shown} is passed as one argument, because no shell splits it`,
    fix: `Write two arguments: ${quoteText(option)}, ${quoteText(value)}`,
  }
}

/** Programs that take such operators as arguments. */
const TAKING: ReadonlySet<string> = new Set('find fd expr test [ xargs parallel awk gawk bc dc'.split(' '))
