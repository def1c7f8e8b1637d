import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import type { BundleRule } from '../rule.ts'

export const toolsArguments: BundleRule = {
  id: 'tools/arguments',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'an argument of a command has a control character',
  why: 'No program can be given a NUL: the system refuses the call, or cuts the argument off there. A line break or an escape hides from a reviewer what is run.',
  fix: 'Write the argument without control characters; a longer text belongs in a file or in the input.',
  looks: 'exec',
  check({ at, tool: { transport } }, report) {
    const { args } = transport
    for (let index = 0; index < args.length; index++) {
      const argument = args[index] ?? ''
      const found = CONTROL.test(argument) ? CONTROL.exec(argument)?.[0] : undefined
      if (found === undefined) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'transport', 'args', index] },
        message: `The argument ${quoteText(argument)} has ${nameOf(found)}`,
        fix: 'Write the argument without it',
      })
    }
  },
}

const CONTROL = /[\x00-\x1f\x7f-\x9f]/

function nameOf(character: string): string {
  if (character === '\0') return 'a NUL character'
  if (character === '\n' || character === '\r') return 'a line break'
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return `a control character (U+${code})`
}
