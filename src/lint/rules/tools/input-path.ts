import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import type { InputFact } from '../../../tools/template-input.ts'
import type { Rule } from '../rule.ts'

export const toolsInputPath: Rule = {
  id: 'tools/input-path',
  severity: 'warning',
  scope: 'source',
  summary: 'a placeholder names a value that the input schema does not',
  why: 'A call without the value is refused, and no model that keeps to the schema sends it: the tool can never be called.',
  fix: 'Correct the name, or add the property to input_schema.',
  looks: 'tool',
  check({ at, inputs }, report) {
    for (const { template, text, fact } of inputs) {
      if (fact.is !== 'missing') continue
      const below = fact.at.length === 0 ? 'input_schema' : `${fact.at.join('.')} in input_schema`
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, ...template.at] },
        message: `${quoteText(text)} has no value: ${below} has no property ${quoteText(fact.name)}`,
        fix: fixOf(fact),
      })
    }
  },
}

function fixOf({ at, meant, rest }: Extract<InputFact, { is: 'missing' }>): string {
  if (meant === undefined) return 'Correct the name, or add the property to input_schema'
  const placeholder = `{{input.${[...at, meant, ...rest].join('.')}}}`
  return `Replace it with ${quoteText(placeholder, 100)}, or add the property to input_schema`
}
