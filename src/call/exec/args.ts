// An exec tool's `args` + the arguments of a call → the elements of argv, or why there are none.

import type { RunRefusal } from '../../model/run.ts'
import { quoteText } from '../../text/quote.ts'
import { readTemplate } from '../../tools/template.ts'
import { inputText } from '../input-text.ts'

/**
 * A value is never split. A value with a leading dash could be read as an option, so it is refused unless the author wrote text before it
 * in the same element, or `--` as an earlier element, or it is a number: no option is named by digits, and an author whose program takes
 * `-5` as an option can set a minimum in the schema.
 */
export function execArgs(
  templates: readonly string[],
  input: unknown,
): { readonly args: readonly string[] } | RunRefusal {
  const args: string[] = []
  for (const template of templates) {
    const filled = fill(template, input)
    if (typeof filled !== 'object') {
      args.push(filled)
      continue
    }
    if ('kind' in filled) return filled
    const { text, field, isLed, isNumber } = filled
    if (text.includes('\0')) return refuse(field, 'must not hold NUL: it is part of a command line')
    const isOption = text.startsWith('-') && !isLed && !(isNumber && NEGATIVE.test(text))
    if (isOption && !templates.slice(0, args.length).includes('--')) {
      return refuse(field, 'must not begin with "-": the program would read it as an option')
    }
    args.push(text)
  }
  return { args }
}

/** Without an exponent: many programs read `-1e5` as a list of options. */
const NEGATIVE = /^-[0-9]+(?:\.[0-9]+)?$/

interface Filled {
  readonly text: string
  /** Of the first value. */
  readonly field: string
  /** Whether the author's own text comes first. */
  readonly isLed: boolean
  /** Whether the element is one number and nothing else. */
  readonly isNumber: boolean
}

function fill(template: string, input: unknown): string | Filled | RunRefusal {
  const parts = readTemplate(template)
  let text = ''
  let first: string | undefined
  let isNumber = false
  for (const part of parts) {
    if (part.kind === 'text') {
      text += part.text
      continue
    }
    if (part.kind !== 'input') {
      return {
        kind: 'rejected',
        message: `Cannot run the program: ${quoteText(part.text)} cannot be filled in`,
      }
    }
    const value = inputText(input, part.path)
    if ('problem' in value) return { kind: 'invalid_args', message: value.problem, field: value.field }
    first ??= value.field
    isNumber = value.isNumber && parts.length === 1
    text += value.text
  }
  return first === undefined ? text : { text, field: first, isLed: parts[0]?.kind === 'text', isNumber }
}

function refuse(field: string, problem: string): RunRefusal {
  return { kind: 'invalid_args', message: `Property '${field}' ${problem}`, field }
}
