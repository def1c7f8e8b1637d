import { TOOLS_FILE } from '../../../model/agent.ts'
import { MCP_NAME_LENGTH } from '../../../model/limits.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'

export const toolsIdStyle: Rule = {
  id: 'tools/id-style',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool’s id cannot be a name in MCP or for a model',
  why: 'Models and MCP clients know tools by names of letters, digits and _ . - only. Any other id has to be renamed on the way, and traces no longer match. One that begins with - is taken for an option, and one with an empty part for a folder above.',
  fix: 'Use letters, digits, and _ . - only, at most 128, for example mail.smtp_send.',
  looks: 'tool',
  check({ at, tool: { id } }, report) {
    const why = problemOf(id)
    if (why === undefined) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'id'] },
      message: `The id ${quoteText(id)} ${why}`,
      fix: `Use letters, digits, and _ . - only, at most ${MCP_NAME_LENGTH}, as in mail.smtp_send`,
      shared: { name: quoteText(id), words: `ids cannot be names in MCP, because each ${why}` },
    })
  },
}

const ODD = /[^A-Za-z0-9_.-]/u

function problemOf(id: string): string | undefined {
  const odd = ODD.exec(id)?.[0]
  if (odd !== undefined) return `has ${characterText(odd)}`
  if (id.length > MCP_NAME_LENGTH) return `has ${id.length} characters`
  if (id.startsWith('-')) return 'begins with "-", as an option of a command line does'
  return id.startsWith('.') || id.endsWith('.') || id.includes('..') || id === ''
    ? 'has a dot without a name before or after it'
    : undefined
}

function characterText(character: string): string {
  if (character === ' ') return 'a space'
  if (/^[\x21-\x7e]$/.test(character)) return `"${character}"`
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `the character U+${code}`
}
