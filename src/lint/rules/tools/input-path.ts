import type { InputFact } from '../../../format/template/template-input.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { inputPlaceholders } from '../input-placeholders.ts'
import type { Rule } from '../rule.ts'

export const toolsInputPath: Rule = {
  id: 'tools/input-path',
  severity: 'warning',
  scope: 'source',
  summary: 'a placeholder names a value that the input schema does not',
  why: 'A call without the value is refused, and no model that keeps to the schema sends it: the tool can never be called.',
  fix: 'Correct the name, or add the property to input_schema.',
  *check(agent) {
    for (const found of inputPlaceholders(agent)) {
      yield
      if (found?.fact.is !== 'missing') continue
      const { text, fact, ...where } = found
      const below = fact.at.length === 0 ? 'input_schema' : `${fact.at.join('.')} in input_schema`
      const message = `${quoteText(text)} has no value: ${below} has no property ${quoteText(fact.name)}`
      yield { ...where, message, fix: fixOf(fact) }
    }
  },
}

function fixOf({ at, meant, rest }: Extract<InputFact, { is: 'missing' }>): string {
  if (meant === undefined) return 'Correct the name, or add the property to input_schema'
  return `Write ${quoteText(`{{input.${[...at, meant, ...rest].join('.')}}}`, 100)}, or add the property to input_schema`
}
