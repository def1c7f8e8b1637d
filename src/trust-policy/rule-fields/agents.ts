// agents: the agents that a rule is for (docs/spec/trust-policy.md, K-31).
import { agentPatternProblem, closeness } from '../../agent/agent-pattern.ts'
import { type AgentField, textList } from './field.ts'

const list = textList(agentPatternProblem)

export const agents = {
  ...list,
  decides: 'to whom',
  key: 'agents',
  none: undefined,
  read: (reader, value, at) => (value === undefined ? undefined : list.read(reader, value, at)),
  literal: value => value && list.literal(value),
  // A rule for every agent stays one.
  grown: (old, more) => old && list.grown(old, more ?? []),
  flag: 'agent',
  option: {
    type: 'strings',
    placeholder: 'NAME[@VARIANT]',
    describe: 'to which agents, by name or as acme_*; without it to every one',
  },
  shown: value => `to ${value === undefined ? 'every agent' : value.join(', ') || 'no agent'}`,
  // A variant is another agent: a rule for `name` does not cover `name@variant`.
  closeness(value, agent) {
    if (value === undefined) return 0
    const found = value.flatMap(pattern => closeness(pattern, agent) ?? [])
    return found.length === 0 ? undefined : found.reduce((most, one) => Math.max(most, one))
  },
  askedBy: (_, agent) => [agent],
  unsaid: () => [],
} as const satisfies AgentField<readonly string[] | undefined>
