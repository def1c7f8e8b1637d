import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText, shortText } from '../../../text/quote.ts'
import { inferredAt, toolsOf } from '../agent-parts.ts'
import { isUnwritten, wordsOf } from '../description-words.ts'
import type { Rule } from '../rule.ts'

export const toolsDescription: Rule = {
  id: 'tools/description',
  severity: 'warning',
  scope: 'source',
  summary: 'a description that tells a model nothing',
  why: 'A model chooses tools by their descriptions. One that repeats the id, or another tool’s, or says TODO, leaves it guessing.',
  fix: 'Say in a sentence what the tool does, and when to use it.',
  looks: 'agent',
  needs: { [TOOLS_FILE]: 'parts' },
  check({ agent }, report) {
    const first = new Map<string, string>()
    for (const { index, tool } of toolsOf(agent)) {
      const { id, description } = tool
      const words = wordsOf(description)
      const other = first.get(words)
      if (other === undefined) first.set(words, id)
      // Two tools of one id are reported by another rule.
      const isTwin = other !== undefined && other !== id
      const hasNone = isUnwritten(description, words)
      if (!isTwin && !hasNone && !repeats(words, id)) continue
      const isInferred = inferredAt(agent, TOOLS_FILE, ['tools', index]).includes('description')
      report({
        file: TOOLS_FILE,
        place: { pointer: ['tools', index, 'description'] },
        ...said({ id, description, isInferred, hasNone, twin: isTwin ? other : undefined }),
        fix: 'Say in a sentence what the tool does, and when to use it',
      })
    }
  },
}

/** Small letters take up to three times the room of capitals: most descriptions are too long to be the id. */
function repeats(words: string, id: string): boolean {
  return words.length <= 3 * id.length && words === wordsOf(id)
}

interface EmptyDescription {
  readonly id: string
  readonly description: string
  /** Import has written it. */
  readonly isInferred: boolean
  /** It is a text such as TODO. */
  readonly hasNone: boolean
  /** Another tool with the same description. */
  readonly twin: string | undefined
}

function said({ id, description, isInferred, hasNone, twin }: EmptyDescription) {
  const about = (message: string, words: string) => ({ message, shared: { name: quoteText(id), words } })
  if (isInferred)
    return about(
      `${shortText(id)} had no description where it was imported from, so its id is in the place of one`,
      'tools had no description where they were imported from, so their ids are in the place of one',
    )
  if (hasNone)
    return about(
      `The description ${quoteText(description)} is in the place of one that was never written`,
      'tools have a text in the place of a description that was never written',
    )
  if (twin !== undefined)
    return about(
      `${shortText(id)} has the description of ${shortText(twin)}`,
      `tools have the description of ${shortText(twin)}`,
    )
  return about(
    `The description ${quoteText(description)} only repeats the id`,
    'tools have a description that only repeats the id',
  )
}
