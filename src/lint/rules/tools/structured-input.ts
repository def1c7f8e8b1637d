import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'

export const toolsStructuredInput: Rule = {
  id: 'tools/structured-input',
  severity: 'error',
  scope: 'source',
  summary: 'a placeholder for an object or a list',
  why: 'Only a text, a number or a boolean is filled in: an object has no one spelling in a url, a header or an argument, so each call is refused.',
  fix: 'Name one of its values, as in {{input.user.id}}, or describe the value as a text.',
  looks: 'tool',
  check({ at, inputs }, report) {
    for (const { template, text, fact } of inputs) {
      if (fact.is !== 'known' || fact.holds === undefined) continue
      const what = fact.holds === 'object' ? 'an object' : 'a list'
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, ...template.at] },
        message: `${quoteText(text)} is ${what}: each call is refused, because it cannot be filled in`,
        fix: `Name one value of the ${fact.holds}, or describe it in input_schema as a string`,
      })
    }
  },
}
