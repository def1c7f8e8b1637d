import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import { foreignInputs } from '../foreign-inputs.ts'
import type { Rule } from '../rule.ts'

export const toolsForeignPlaceholder: Rule = {
  id: 'tools/foreign-placeholder',
  severity: 'warning',
  scope: 'source',
  summary: 'nothing fills in a placeholder of another system',
  why: 'A call fills in {{input.<path>}} and {{secret:<id>}} alone, and sends everything else as it is written. The server looks for an item called {id}, the program opens a file called $path, and a header with $TOKEN holds no credential.',
  fix: 'Replace it with {{input.<path>}}, or with {{secret:<id>}} in a header.',
  looks: 'tool',
  check(subject, report) {
    for (const { template, text, fix } of foreignInputs(subject))
      report({
        file: TOOLS_FILE,
        place: { pointer: [...subject.at, ...template.at] },
        message: `${quoteText(text)} is not filled in, and sent as it is written`,
        fix,
      })
  },
}
