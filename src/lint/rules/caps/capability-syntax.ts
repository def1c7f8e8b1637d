import { type Capability, readCapability } from '../../../format/capability/capability.ts'
import { FAMILIES } from '../../../format/capability/families/index.ts'
import { entryProblem } from '../../../format/capability/grant-entry.ts'
import { probablyMeant } from '../../../format/text/did-you-mean.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

export const capsCapabilitySyntax: BundleRule = {
  id: 'caps/capability-syntax',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a capability of a tool cannot be read',
  why: 'A need that cannot be read cannot be granted, and some readers ignore it.',
  fix: 'Write family or family:scope, for example net:api.mail.example or kb_write:drafts.',
  looks: 'tool',
  check({ at, tool: { capabilities, secrets } }, report) {
    for (const [position, text] of capabilities.entries()) {
      const problem = capabilityProblem(text)
      if (problem === undefined) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'capabilities', position] },
        message: `${quoteText(text)} is no capability: ${problem.why}`,
        fix: problem.fix,
      })
    }
    for (const [position, id] of secrets.entries()) {
      if (!/[{}]/.test(id)) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'secrets', position] },
        message: `${quoteText(id)} is the name of no secret: it has a brace`,
        fix: 'Write the whole name, without { and }',
      })
    }
  },
}

const USUAL = 'Write family or family:scope, for example net:api.mail.example'

function capabilityProblem(text: string): { why: string; fix: string } | undefined {
  const capability = readCapability(text)
  if ('problem' in capability) return { why: capability.problem, fix: fixFor(text) }
  return scopeProblem(capability)
}

function scopeProblem({ family, scope }: Capability): { why: string; fix: string } | undefined {
  const problem = scope === undefined ? undefined : entryProblem(family, scope)
  return problem && { why: lowerFirst(problem.message), fix: problem.fix }
}

/** The same with the family that was probably meant. */
function fixFor(text: string): string {
  const [, written = '', rest = ''] =
    /^\s*([A-Za-z_ -]{1,40})\s*(?:[:.=]\s*(.*))?$/s.exec(text.slice(0, 200)) ?? []
  const family = probablyMeant(written, FAMILIES)
  if (family === undefined) return USUAL
  const meant = rest === '' ? family : `${family}:${rest}`
  const capability = readCapability(meant)
  if ('problem' in capability || scopeProblem(capability) !== undefined) return USUAL
  return `Write ${quoteText(meant)}`
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
