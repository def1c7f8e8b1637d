import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Placeholder, TemplatePart } from '../../../tools/template.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import type { TemplateText } from '../../../tools/transports/kind.ts'
import type { ToolSubject } from '../../subjects.ts'
import { placeholderMeant } from '../meant-placeholder.ts'
import type { BundleRule } from '../rule.ts'

export const toolsPlaceholder: BundleRule = {
  id: 'tools/placeholder',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a placeholder that nothing fills in',
  why: 'Readers that do not know a placeholder send it unchanged, or fill in another value.',
  fix: 'Write {{input.<path>}} in url, headers and arguments, {{secret:<id>}} in headers.',
  looks: 'tool',
  check(subject, report) {
    const { transport } = subject.tool
    // A value of the call is right everywhere but behind #.
    if (subject.hasInputsOnly && transportKind(transport).everyText(transport, hasNoHash)) return
    for (const { template, parts } of subject.readTemplates)
      for (const { message, fix } of problems(template.where, parts, subject))
        report({
          file: TOOLS_FILE,
          place: { pointer: [...subject.at, ...template.at] },
          message,
          fix,
        })
  },
}

interface TemplateProblem {
  readonly message: string
  readonly fix: string
}

function hasNoHash(text: string): boolean {
  return !text.includes('#')
}

function problems(
  where: TemplateText['where'],
  parts: readonly TemplatePart[],
  subject: ToolSubject,
): TemplateProblem[] {
  const found: TemplateProblem[] = []
  let isBehindHash = false
  let isBehindSign = false
  for (const part of parts) {
    if (part.kind === 'text') {
      isBehindSign = part.text.endsWith('$')
      isBehindHash ||= part.text.includes('#')
      continue
    }
    const problem = templateProblem(part, where, isBehindHash)
    if (problem === undefined) continue
    const meant = part.kind === 'malformed' ? placeholderMeant(part.text, where, subject) : undefined
    // What is replaced is the whole of the other system's placeholder: `${{ secrets.KEY }}`.
    const message = isBehindSign ? problem.message.replace(/^"/, '"$$') : problem.message
    isBehindSign = false
    found.push({ message, fix: meant ?? problem.fix })
  }
  return found
}

function templateProblem(
  part: Placeholder,
  where: TemplateText['where'],
  isBehindHash: boolean,
): TemplateProblem | undefined {
  const name = quoteText(part.text)
  if (part.kind === 'malformed') return { message: `${name} ${part.problem}`, fix: part.fix }
  if (part.kind === 'secret') {
    if (where !== 'argument') return undefined
    return {
      message: `${name} is in an argument, which every user of the host can read`,
      fix: 'Remove it; the program gets the secrets of the tool in its environment',
    }
  }
  if (where !== 'url' || !isBehindHash) return undefined
  return {
    message: `${name} is behind #, in a part of the url that is never sent`,
    fix: 'Put it into the path or the query',
  }
}
