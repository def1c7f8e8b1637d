// rlp tool remove: takes tools out of an agent's tools.json, with their records in interfaces.json.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import { readSourceFolder } from '../io/bundle/read-source.ts'
import { inTurns } from '../io/wait/breathe.ts'
import { EXIT } from '../model/exit-code.ts'
import { refuseUnreadable } from './add-tool.ts'
import { removeTools } from './change-tools.ts'
import { AGENT, findAgent } from './one-agent-options.ts'
import { renderChanged, unusedWarning } from './render-changed.ts'
import { toolIn } from './tool-in.ts'
import { writeTools } from './write-tools.ts'

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
    const agent = await readSourceFolder(target, 'held', io)
    refuseUnreadable(agent)
    const ids = [...new Set(args.tool)]
    for (const id of ids) toolIn(agent, id, 'remove')
    const plan = await inTurns(removeTools(agent, ids), `checking "${target.label}"`, io.signal)
    const files = await writeTools(target, agent, plan, false, io)
    report(io, args, {
      tool: 'tool.remove',
      result: { agent: target.label, tools: ids, files, unused: plan.unused },
      warnings: unusedWarning(target.label, plan.unused),
      text: () => {
        const done = ids.map(id => `${id} is no longer in ${target.label}/tools.json`)
        return renderChanged({ agent: target.label, done, granted: [], ids }, args.quiet, io)
      },
    })
    return EXIT.ok
  },
})
