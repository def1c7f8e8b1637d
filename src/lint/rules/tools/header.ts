import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import { headerNameProblem, headerValueProblem } from '../../../tools/http-request.ts'
import type { BundleRule } from '../rule.ts'

export const toolsHeader: BundleRule = {
  id: 'tools/header',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a header that cannot be sent, or that would change where a request goes',
  why: 'A line break in a header begins another header, or another request; Host, Content-Length and their kin decide how the next server reads what comes.',
  fix: 'Use a plain name and a value of one line; leave out what the HTTP client sets by itself.',
  looks: 'http',
  check({ at, tool: { transport } }, report) {
    const seen = new Set<string>()
    for (const [name, value] of Object.entries(transport.headers)) {
      const lower = name.toLowerCase()
      const problem = seen.has(lower) ? TWICE : nameProblem(name)
      seen.add(lower)
      if (problem !== undefined)
        report({
          file: TOOLS_FILE,
          place: { pointer: [...at, 'transport', 'headers', name], part: 'key' },
          message: `The header ${quoteText(name)} ${problem.why}`,
          fix: problem.fix,
        })
      const why = headerValueProblem(value)
      if (why === undefined) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'transport', 'headers', name] },
        message: `The value of ${quoteText(name)} ${why}`,
        fix: 'Write one line of ASCII; encode anything else',
      })
    }
  },
}

const TWICE = { why: 'appears twice, in different capitals', fix: 'Remove one of the two' }

function nameProblem(name: string): { why: string; fix: string } | undefined {
  switch (headerNameProblem(name)) {
    case 'no-name':
      return { why: 'is no name of a header', fix: 'Use letters, digits and hyphens' }
    case 'not-ours':
      return { why: 'is not a tool’s to set', fix: 'Remove it; the HTTP client sets it by itself' }
    case undefined:
      return undefined
  }
}
