import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { MCP_NAME_LENGTH } from '../../../model/limits.ts'
import type { Rule } from '../rule.ts'

export const toolsIdStyle: Rule = {
  id: 'tools/id-style',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool’s id cannot be a name in MCP or for a model',
  why: 'Models and MCP clients know tools by names of letters, digits and _ . - only. Any other id has to be renamed on the way, and traces no longer match.',
  fix: 'Use letters, digits, and _ . - only, at most 128, for example mail.smtp_send.',
  *check(agent) {
    for (const [index, { id }] of (agent.tools?.tools ?? []).entries()) {
      yield
      const odd = /[^A-Za-z0-9_.-]/u.exec(id)?.[0]
      if (odd === undefined && id.length <= MCP_NAME_LENGTH) continue
      const why = odd === undefined ? `has ${id.length} characters` : `has ${characterText(odd)}`
      yield {
        file: TOOLS_FILE,
        place: { pointer: ['tools', index, 'id'] },
        message: `The id ${quoteText(id)} ${why}`,
        fix: `Use letters, digits, and _ . - only, at most ${MCP_NAME_LENGTH}`,
      }
    }
  },
}

function characterText(character: string): string {
  if (character === ' ') return 'a space'
  if (/^[\x21-\x7e]$/.test(character)) return `"${character}"`
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `the character U+${code}`
}
