import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import type { InputGap } from '../../../tools/template-input.ts'
import type { Rule } from '../rule.ts'

export const toolsOptionalInput: Rule = {
  id: 'tools/optional-input',
  severity: 'warning',
  scope: 'source',
  summary: 'a placeholder for a value that a call may leave out',
  why: 'A model is told that the call fits without the value, and the call is refused: nothing says what would be sent in its place.',
  fix: 'List the property in required; for a value that is often left out make a second tool.',
  looks: 'tool',
  check({ at: toolAt, inputs }, report) {
    for (const { template, text, fact } of inputs) {
      // A list or an object is refused anyway, and reported by another rule.
      if (fact.is !== 'known' || fact.holds !== undefined || fact.gap === undefined) continue
      const { at, is } = fact.gap
      const call = WORDS[is].call(quoteText(at.join('.')))
      report({
        file: TOOLS_FILE,
        place: { pointer: [...toolAt, ...template.at] },
        message: `${call} fits input_schema and is refused, because ${quoteText(text)} has no value`,
        fix: WORDS[is].fix(at),
      })
    }
  },
}

interface GapWords {
  call(name: string): string
  fix(at: readonly string[]): string
}

const WORDS: Readonly<Record<InputGap['is'], GapWords>> = {
  optional: {
    call: name => `A call without ${name}`,
    fix: at => `Add ${quoteText(String(at.at(-1)))} to required`,
  },
  null: {
    call: name => `A call with null as ${name}`,
    fix: () => 'Remove "null" from its type',
  },
  short: {
    call: name => `A call without ${name}`,
    fix: at => `Write "minItems": ${Number(at.at(-1)) + 1} for the list`,
  },
}
