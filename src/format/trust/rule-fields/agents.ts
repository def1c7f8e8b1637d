// agents: the agents that a rule is for (docs/spec/trust-policy.md, K-23).
import { readReference } from '../../version/reference.ts'
import { type AgentField, textList } from './field.ts'

const list = textList(text =>
  readReference(text) === undefined ? 'it is not name or name@variant' : undefined,
)

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
    describe: 'to which agents; without it to every one',
  },
  shown: value => `to ${value === undefined ? 'every agent' : value.join(', ') || 'no agent'}`,
  // A variant is another agent: a rule for `name` does not cover `name@variant`.
  covers: (value, agent) => value === undefined || value.includes(agent),
  askedBy: (_, agent) => [agent],
  unsaid: () => [],
} as const satisfies AgentField<readonly string[] | undefined>
