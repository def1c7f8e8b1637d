import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import { formatsIn } from '../../../tools/script.ts'
import { placeholdersIn } from '../../../tools/template.ts'
import { startOf } from '../exec-starts.ts'
import type { Rule } from '../rule.ts'

export const toolsInputFormat: Rule = {
  id: 'tools/input-format',
  severity: 'warning',
  scope: 'source',
  summary: 'an input is used as a format, as in printf',
  why: 'Percent signs and backslashes in a format are instructions, and the input must not choose them. In a format of curl, a value that begins with @ even names a file to print.',
  fix: 'Write a fixed format, and pass the value as a separate argument.',
  looks: 'exec',
  check({ at, inputs, tool: { transport } }, report) {
    const { transport: meant, placeOf } = startOf(transport)
    // Only a command that is a whole line may have placeholders of its own.
    if (inputs.length === 0 && meant === transport) return
    for (const { program, text, index } of formatsIn(meant)) {
      const input = placeholdersIn(text).find(({ kind }) => kind === 'input')
      if (input === undefined) continue
      // Without other directives, the value is the first argument.
      const isFirst = program === 'printf' && !text.replaceAll(input.text, '').includes('%')
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'transport', ...placeOf(index)] },
        message: `${quoteText(input.text)} is part of a format of ${program}`,
        fix: isFirst
          ? `Replace it with %s, and add the argument ${quoteText(input.text)} after the format`
          : 'Write a fixed format, and pass the value as a separate argument',
      })
    }
  },
}
