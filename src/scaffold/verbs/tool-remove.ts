// rlp tool remove: takes tools out of an agent's tools.json, with their records in interfaces.json.
import { printable } from '../../text/printable.ts'
import { commandOf, defineVerb, needed, texts } from '../../verb/index.ts'
import { agentsDir } from '../../verb/kinds/agents.ts'
import { sourceAgent } from '../../verb/kinds/one-agent.ts'
import { renderChanged, unusedWarning } from '../render-changed.ts'
import { type RemovedTools, removeFrom } from '../write-tools.ts'

/**
 * Takes tools out of the tools.json of an agent's folder, with their records in interfaces.json: all of them, or none.
 *
 * @example
 * console.log((await removeTools('agents/mailer', ['mail.send'])).unused)
 *
 * @throws {@link RlpError} as {@link editTool}
 */
export const verb = defineVerb({
  name: 'tool remove',
  summary: 'remove tools from an agent’s tools.json',
  called: 'removeTools',
  arguments: ['agent', 'ids'],
  inputs: {
    agent: needed(sourceAgent('remove tools of')),
    ids: needed(texts('ids of the tools', { flag: 'tool', complete: 'none' })),
    agentsDir,
  },
  async run({ agent, ids, agentsDir }, world): Promise<RemovedTools> {
    return removeFrom(await agent(agentsDir), ids, world)
  },
})

export const command = commandOf(verb, {
  examples: [['rlp tool remove mailer mail.send', 'one tool, and its records in interfaces.json']],
  notes:
    'The files change in place, with their layout; afterwards run rlp agent digest. policy.caps stays as it is: what no tool needs any more is said, because the agent’s own code may use it.',
  warnings: unusedWarning,
  quiet: ({ tools }) => tools,
  text({ agent, tools }, { style }) {
    const done = tools.map(id => printable(`${id} is no longer in ${agent}/tools.json`))
    return renderChanged(agent, done, [], style)
  },
})
