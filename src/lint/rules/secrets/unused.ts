import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Tool } from '../../../model/tools.ts'
import { unsentSecrets } from '../../../secret/unsent-secrets.ts'
import { quoteText } from '../../../text/quote.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import type { TemplateText } from '../../../tools/transports/kind.ts'
import type { ToolSubject } from '../../subjects.ts'
import { foreignInputs } from '../foreign-inputs.ts'
import { nearGrant } from '../meant-placeholder.ts'
import type { Rule } from '../rule.ts'

export const secretsUnused: Rule = {
  id: 'secrets/unused',
  severity: 'warning',
  scope: 'source',
  summary: 'an http tool lists a secret that no header uses',
  why: 'It is looked up and granted for nothing, and the request goes without it: either the header is missing or the secret is one too many.',
  fix: 'Use it in a header as {{secret:<id>}}, or remove it from secrets.',
  looks: 'tool',
  check(subject, report) {
    const { at, tool } = subject
    const { secrets: way } = transportKind(tool.transport)
    if (tool.secrets.length === 0 || way.in === 'environment') return
    // The secret is what a variable in a header means: another rule says so.
    if (hasVariable(subject)) return
    const sending = way.in === 'header' ? headerFor(tool) : undefined
    // One that differs by a slip from one that a header uses: another rule says which is right.
    const listed = new Set(tool.secrets)
    const unlisted = subject.placeholders.flatMap(({ part }) =>
      part.kind === 'secret' && !listed.has(part.id) ? part.id : [],
    )
    for (const { id, position } of unsentSecrets(tool)) {
      if (nearGrant('secrets', id, unlisted) !== undefined) continue

      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'secrets', position] },
        message: `No ${way.in} uses the secret ${quoteText(id)}`,
        fix:
          sending === undefined
            ? `Add a ${way.in}, for example ${way.example(shorten(id))}, or remove it from secrets`
            : `Write {{secret:${shorten(id)}}} into the header ${quoteText(sending)}, or remove it from secrets`,
      })
    }
  },
}

function shorten(id: string): string {
  return quoteText(id).slice(1, -1)
}

/** Whether a header has a placeholder of another system, or one that is malformed. */
function hasVariable(subject: ToolSubject): boolean {
  const isHeader = ({ where }: TemplateText) => where === 'header'
  return (
    foreignInputs(subject).some(({ template }) => isHeader(template)) ||
    subject.placeholders.some(({ template, part }) => isHeader(template) && part.kind === 'malformed')
  )
}

/** The header for credentials that is there already. */
function headerFor({ transport }: Tool): string | undefined {
  const headers = 'headers' in transport ? Object.keys(transport.headers) : []
  return headers.find(name => /^authorization$/i.test(name))
}
