import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import { placeholderMeant } from '../meant-placeholder.ts'
import type { BundleRule } from '../rule.ts'

export const toolsUrl: BundleRule = {
  id: 'tools/url',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a url does not say plainly which host it reaches',
  why: 'The proof that tools stay within policy.caps depends on host and port. Templates, user names or odd spellings there let two readers see two hosts.',
  fix: 'Write an absolute https:// url with the host in its normal form; templates are allowed in path and query.',
  looks: 'http',
  check(subject, report) {
    const { at, reach, tool } = subject
    if (reach === undefined || !('problem' in reach)) return
    const spaced = spacedPlaceholder(tool.transport.url)
    const meant = spaced === undefined ? undefined : placeholderMeant(spaced, 'url', subject)
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', 'url'] },
      message:
        spaced === undefined
          ? `The url cannot be used: ${reach.problem}`
          : `${quoteText(spaced)} has white space inside`,
      fix: spaced === undefined ? reach.fix : (meant ?? 'Write the placeholder without it'),
    })
  },
}

const SPACED = /\{\{[^{}\s]*\s[^{}]*\}\}|<%[^<>\s]*\s[^<>]*%>|\{%[^{}\s]*\s[^{}]*%\}/
const PLACEHOLDERS = /\{\{[^{}]*\}\}|<%[^<>]*%>|\{%[^{}]*%\}/g

/** The first placeholder with white space in it, if nothing else of the url has some. */
function spacedPlaceholder(url: string): string | undefined {
  const spaced = SPACED.exec(url)?.[0]
  return spaced !== undefined && !/\s/.test(url.replaceAll(PLACEHOLDERS, '')) ? spaced : undefined
}
