import { quoteText, shortText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { inferredAt } from '../raw-tools.ts'
import type { Rule } from '../rule.ts'
import { isUnwritten, wordsOf } from '../unwritten.ts'

export const toolsDescription: Rule = {
  id: 'tools/description',
  severity: 'warning',
  scope: 'source',
  summary: 'a description that tells a model nothing',
  why: 'A model chooses tools by their descriptions. One that repeats the id, or another tool’s, or says TODO, leaves it guessing.',
  fix: 'Say in a sentence what the tool does, and when to use it.',
  *check(agent) {
    const first = new Map<string, string>()
    for (const [index, { id, description }] of (agent.tools?.tools ?? []).entries()) {
      yield
      const words = wordsOf(description)
      const other = first.get(words)
      if (other === undefined) first.set(words, id)
      // Two tools of one id are reported by another rule.
      const isTwin = other !== undefined && other !== id
      const hasNone = isUnwritten(description)
      if (words !== wordsOf(id) && !isTwin && !hasNone) continue
      if (inferredAt(agent, TOOLS_FILE, ['tools', index]).includes('description')) {
        yield {
          file: TOOLS_FILE,
          place: { pointer: ['tools', index, 'description'] },
          message: `${shortText(id)} had no description where it was imported from, so its id is in the place of one`,
          fix: 'Say in a sentence what the tool does, and when to use it',
          shared: {
            name: quoteText(id),
            words:
              'tools had no description where they were imported from, so their ids are in the place of one',
          },
        }
        continue
      }
      yield {
        file: TOOLS_FILE,
        place: { pointer: ['tools', index, 'description'] },
        message: hasNone
          ? `The description ${quoteText(description)} is in the place of one that was never written`
          : isTwin
            ? `${shortText(id)} has the description of ${shortText(other)}`
            : `The description ${quoteText(description)} only repeats the id`,
        fix: 'Say in a sentence what the tool does, and when to use it',
        shared: {
          name: quoteText(id),
          words: hasNone
            ? 'tools have a text in the place of a description that was never written'
            : isTwin
              ? `tools have the description of ${shortText(other)}`
              : 'tools have a description that only repeats the id',
        },
      }
    }
  },
}
