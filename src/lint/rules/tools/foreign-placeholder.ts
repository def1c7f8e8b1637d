import { type ForeignPlaceholder, foreignPlaceholders } from '../../../format/template/foreign-placeholder.ts'
import { findInput } from '../../../format/template/template-input.ts'
import { quoteText } from '../../../format/text/quote.ts'
import type { TemplateText } from '../../../format/transports/kind.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { ToolSubject } from '../../subjects.ts'
import type { Rule } from '../rule.ts'

export const toolsForeignPlaceholder: Rule = {
  id: 'tools/foreign-placeholder',
  severity: 'warning',
  scope: 'source',
  summary: 'nothing fills in a placeholder of another system',
  why: 'A call fills in {{input.<path>}} and {{secret:<id>}} alone, and sends everything else as it is written. The server looks for an item called {id}, and finds none. A header with $TOKEN holds no credential.',
  fix: 'Write {{input.<path>}} in its place, or {{secret:<id>}} in a header.',
  looks: 'tool',
  check(subject, report) {
    for (const template of subject.templates) {
      for (const found of foreignPlaceholders(template)) {
        const fix = fixFor(subject, template, found)
        if (fix === undefined) continue
        report({
          file: TOOLS_FILE,
          place: { pointer: [...subject.at, ...template.at] },
          message: `${quoteText(found.text)} is not filled in, and sent as it is written`,
          fix,
        })
      }
    }
  },
}

/** Undefined for what may be meant as it is. */
function fixFor(
  { tool, fileAt }: ToolSubject,
  { where }: TemplateText,
  { name, text }: ForeignPlaceholder,
): string | undefined {
  const fact = findInput(tool, name.split('.'), fileAt)
  if (fact.is === 'known') return `Write ${quoteText(`{{input.${name}}}`, 100)} in its place`
  // A variable of an environment: nothing else has capitals in braces or after a dollar sign.
  const isVariable = where === 'header' && /^(?:\$\{?|%)[A-Z_][A-Z0-9_]*[}%]?$/.test(text)
  return isVariable ? 'List a secret in secrets, and write {{secret:<id>}} in its place' : undefined
}
