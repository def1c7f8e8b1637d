import { placeholdersIn } from '../../../format/template/template.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { startOf } from '../exec-starts.ts'
import type { Rule } from '../rule.ts'

export const toolsCodeInjection: Rule = {
  id: 'tools/code-injection',
  severity: 'error',
  scope: 'source',
  summary: 'a value of the call becomes part of code that is run',
  why: 'The value comes from a model, and through it from any page or mail that the model has read: $(…) in it is run like the rest of the line.',
  fix: 'Hand the value over as an argument of its own, after the code, and use "$1" in the code.',
  looks: 'exec',
  check({ at, tool: { transport } }, report) {
    const { inline, placeOf } = startOf(transport)
    if (inline === undefined) return
    const input = placeholdersIn(inline.code).find(({ kind }) => kind === 'input')
    if (input === undefined) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', ...placeOf(inline.index)] },
      message: `${quoteText(input.text)} is in code that ${inline.program} runs`,
      fix:
        inline.isShell && inline.program !== 'env'
          ? `Write "$1" in its place, and after the code the arguments "--" and ${quoteText(input.text)}`
          : 'Hand the value over as an argument of its own, after the code',
    })
  },
}
