import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { quoteText } from '../../../text/quote.ts'
import type { ReportProblem, Rule } from '../rule.ts'

/** Controls without layout, format and bidi characters, separators, tags, and characters that Unicode calls ignorable. */
const HIDDEN = /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]/u
/** These have a meaning in emoji and in several scripts. */
const JOINERS = /\u200c|\u200d|\ufe0f/g

/** Nothing of it is hidden: most texts. */
const PLAIN = /^[\n\r\t\x20-\x7e]*$/

export const toolsHiddenText: Rule = {
  id: 'tools/hidden-text',
  severity: 'warning',
  scope: 'source',
  summary: 'a description holds invisible characters',
  why: 'A model reads the whole description, a reviewer only what is shown: between the two there is room for another instruction.',
  fix: 'Remove the character.',
  looks: 'tool',
  check({ at, tool: { description, tags } }, report) {
    if (!PLAIN.test(description)) reportHidden(description, [...at, 'description'], report)
    for (let position = 0; position < tags.length; position++) {
      const tag = tags[position] ?? ''
      if (!PLAIN.test(tag)) reportHidden(tag, [...at, 'observability', 'tags', position], report)
    }
  },
}

function reportHidden(text: string, pointer: Pointer, report: ReportProblem): void {
  const hidden = HIDDEN.exec(text.replace(JOINERS, ''))?.[0]
  if (hidden === undefined) return
  const code = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  report({
    file: TOOLS_FILE,
    place: { pointer },
    message: `${quoteText(text)} holds the character U+${code}, which is not shown`,
    fix: 'Remove the character',
  })
}
