// rlp tool remove: takes tools out of an agent's tools.json, with their records in interfaces.json.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import { EXIT } from '../model/exit-code.ts'
import { AGENT, findAgent } from './one-agent-options.ts'
import { renderChanged, unusedWarning } from './render-changed.ts'
import { removeFrom } from './write-tools.ts'

export const command = defineCommand({
  name: 'tool remove',
  summary: 'remove tools from an agent’s tools.json',
  positionals: [
    AGENT,
    { name: 'tool', describe: 'ids of the tools', required: true, many: true, complete: 'none' },
  ],
  options: AGENT_OPTIONS,
  examples: [['rlp tool remove mailer mail.send', 'one tool, and its records in interfaces.json']],
  notes:
    'The files change in place, with their layout; afterwards run rlp agent digest. policy.caps stays as it is: what no tool needs any more is said, because the agent’s own code may use it.',
  async run(args, io) {
    const target = await findAgent(args, 'remove tools of', io)
    const removed = await removeFrom(target, args.tool, io)
    const { tools: ids, unused } = removed
    report(io, args, {
      tool: 'tool.remove',
      result: removed,
      warnings: unusedWarning(target.label, unused),
      text: () => {
        const done = ids.map(id => `${id} is no longer in ${target.label}/tools.json`)
        return renderChanged({ agent: target.label, done, granted: [], ids }, args.quiet, io)
      },
    })
    return EXIT.ok
  },
})
