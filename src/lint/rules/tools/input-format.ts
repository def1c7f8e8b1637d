import { formatsIn } from '../../../format/exec/script.ts'
import { placeholdersIn } from '../../../format/template/template.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { startOf } from '../exec-starts.ts'
import type { Rule } from '../rule.ts'

export const toolsInputFormat: Rule = {
  id: 'tools/input-format',
  severity: 'warning',
  scope: 'source',
  summary: 'a value of the call is read as a format, as printf does it',
  why: 'Percent signs and backslashes in a format are not printed: they stand for other values, and for characters that the input must not choose. In a format of curl, a value that begins with @ names a file to print.',
  fix: 'Write the format out, and hand the value over as an argument of its own.',
  looks: 'exec',
  check({ at, tool: { transport } }, report) {
    const { transport: meant, placeOf } = startOf(transport)
    for (const { program, text, index } of formatsIn(meant)) {
      const input = placeholdersIn(text).find(({ kind }) => kind === 'input')
      if (input === undefined) continue
      // Without other directives the value is the first one.
      const isFirst = program === 'printf' && !text.replaceAll(input.text, '').includes('%')
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'transport', ...placeOf(index)] },
        message: `${quoteText(input.text)} is in a format that ${program} reads`,
        fix: isFirst
          ? `Write %s in its place, and after the format the argument ${quoteText(input.text)}`
          : 'Write the format out, and hand the value over as an argument of its own',
      })
    }
  },
}
