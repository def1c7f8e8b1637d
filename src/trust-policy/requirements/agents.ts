// [[require]] agents: the agents that an entry is for (docs/spec/trust-policy.md, K-46).
import { agentPatternProblem } from '../../agent/agent-pattern.ts'
import { listLiteral } from '../../toml/write.ts'
import type { Requirement } from './field.ts'

export const coveredAgents = {
  key: 'agents',
  forms: ['entry'],
  read(reader, value, at) {
    if (value === undefined) return undefined
    const read = reader.texts(value, at, agentPatternProblem)
    // No agent at all would be an entry that requires nothing of anybody.
    if (Array.isArray(value) && value.length === 0)
      reader.wrong(at, 'it names no agent; leave it out for every agent')
    return read
  },
  // Which entries are asked is decided before.
  judge: () => [],
  shown: required => (required === undefined ? '' : `of ${required.join(', ')}`),
  literal: required => required && listLiteral(required),
  // Entries are compared agent by agent.
  beyond: () => [],
  lost: () => undefined,
} as const satisfies Requirement<readonly string[] | undefined>
