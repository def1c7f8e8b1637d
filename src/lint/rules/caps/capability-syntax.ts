import { type Agent, TOOLS_FILE } from '../../../model/agent.ts'
import type { Tool } from '../../../model/tools.ts'
import { type Capability, readCapability } from '../../../policy/capability.ts'
import { entryProblem, meantEntry, meantFamily } from '../../../policy/grant-entry.ts'
import { quoteText } from '../../../text/quote.ts'
import { midSentence } from '../../../text/words.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import { once } from '../once.ts'
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
  check({ agent, at, tool: { capabilities, secrets, transport } }, report) {
    for (let position = 0; position < capabilities.length; position++) {
      const text = capabilities[position] ?? ''
      const problem = problemsIn(agent)(text)
      if (problem === undefined) continue
      const needed = neededFor(text, transport)
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'capabilities', position] },
        message: `${quoteText(text)} is no capability: ${problem.why}`,
        fix: needed === undefined ? problem.fix : `Write ${quoteText(needed, 100)}`,
      })
    }
    for (let position = 0; position < secrets.length; position++) {
      const id = secrets[position] ?? ''
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

/** A hostile agent has a million different ones. Further ones are read each time. */
const MOST_KEPT = 1000

/** The tools of an agent need much the same, so each sound text is read once. */
const problemsIn = once((_: Agent) => {
  const sound = new Set<string>()
  return (text: string) => {
    if (sound.has(text)) return undefined
    const problem = capabilityProblem(text)
    if (problem === undefined && sound.size < MOST_KEPT) sound.add(text)
    return problem
  }
})

function capabilityProblem(text: string): { why: string; fix: string } | undefined {
  const capability = readCapability(text)
  if (!('problem' in capability)) return scopeProblem(capability)
  const meant = meantCapability(text.slice(0, LONGEST))
  return { why: capability.problem, fix: meant === undefined ? USUAL : `Write ${quoteText(meant, 100)}` }
}

/** What the transport needs, for a program that is named without its folder. */
function neededFor(text: string, transport: Tool['transport']): string | undefined {
  const name = /^exec:([^/]+)$/.exec(text)?.[1]
  const [needed] = transportKind(transport).need.words(transport)
  return name !== undefined && needed?.startsWith('exec:') && needed.endsWith(`/${name}`) ? needed : undefined
}

/** A longer text is no slip. */
const LONGEST = 200

function scopeProblem({ family, scope }: Capability): { why: string; fix: string } | undefined {
  const problem = scope === undefined ? undefined : entryProblem(family, scope)
  if (problem === undefined) return undefined
  const { message, fix, meant } = problem
  return {
    why: midSentence(message),
    fix: meant === undefined ? `${fix}, behind ${family}:` : `Write ${quoteText(`${family}:${meant}`, 100)}`,
  }
}

/** With the family that was probably meant: `network:a.example`, `https://a.example/x`, `kb.read:notes`. */
function meantCapability(text: string): string | undefined {
  const [, written = '', rest = ''] =
    /^\s*([A-Za-z_ .-]{1,40}?)\s*(?:[:=]\s*(.*))?$/s.exec(text.replace(/^\s*(https?:\/\/)/i, 'net:$1')) ?? []
  const family = meantFamily(written)
  if (family === undefined) return undefined
  const meant = rest === '' ? family : `${family}:${meantEntry(family, rest) ?? rest}`
  const capability = readCapability(meant)
  return 'problem' in capability || scopeProblem(capability) !== undefined ? undefined : meant
}
