import { placeholdersIn } from '../../../format/template/template.ts'
import { findInput, type InputFact } from '../../../format/template/template-input.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'
import { templateTexts } from '../tool-templates.ts'

export const toolsInputPath: Rule = {
  id: 'tools/input-path',
  severity: 'warning',
  scope: 'source',
  summary: 'a placeholder names a value that the input schema does not',
  why: 'No model that keeps to the schema sends such a value, so the place stays empty: and a url without its id can mean all of them.',
  fix: 'Correct the name, or add the property to input_schema.',
  *check(agent) {
    const fileAt = (path: string) => agent.documents.get(path)?.value
    for (const [index, tool] of (agent.tools?.tools ?? []).entries()) {
      yield
      for (const { text, at } of templateTexts(tool)) {
        yield
        for (const part of placeholdersIn(text)) {
          yield
          const fact = part.kind === 'input' ? findInput(tool, part.path, fileAt) : undefined
          if (fact?.is !== 'missing') continue
          const below = fact.at.length === 0 ? 'input_schema' : `${fact.at.join('.')} in input_schema`
          yield {
            file: TOOLS_FILE,
            place: { pointer: ['tools', index, ...at] },
            message: `${quoteText(part.text)} has no value: ${below} has no property ${quoteText(fact.name)}`,
            fix: fixOf(fact),
          }
        }
      }
    }
  },
}

function fixOf({ at, meant, rest }: Extract<InputFact, { is: 'missing' }>): string {
  if (meant === undefined) return 'Correct the name, or add the property to input_schema'
  return `Write ${quoteText(`{{input.${[...at, meant, ...rest].join('.')}}}`, 100)}, or add the property to input_schema`
}
