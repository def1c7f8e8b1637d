// rlp caps show: what an agent may do on this host, and which of its tools may be used.
import { defineCommand } from '../cli/command.ts'
import { each, failuresOf, printFailures, worstExit } from '../cli/each.ts'
import { columnsOf, note, report, warn } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { AGENT_OPTIONS, AGENT_PATHS, resolveAgents } from '../cli/targets.ts'
import { TOOLS_FILE } from '../model/agent.ts'
import { EXIT } from '../model/exit-code.ts'
import { type ShownCaps, showCaps } from './permissions.ts'
import { renderCaps } from './render.ts'
import { capsReport, sandboxHere } from './report.ts'

export const command = defineCommand({
  name: 'caps show',
  summary: 'show what an agent may do here, after overrides',
  positionals: [AGENT_PATHS],
  options: {
    ...AGENT_OPTIONS,
    sandbox: { type: 'boolean', describe: 'also what the program of each tool may reach on this host' },
  },
  examples: [
    ['rlp caps show mailer', 'grants, overrides and tools of one agent'],
    ['rlp caps show mailer --sandbox', 'and what each program may reach'],
    ['rlp caps show --json', 'all agents in ./agents, for a program'],
  ],
  notes: `Overrides are looked for in /etc/runloop/policy-overrides/<name>.caps, ~/.runloop/policy-overrides/<name>/policy.caps and ~/.runloop/caps/overrides/<name>.toml (or below $RUNLOOP_HOME in place of ~/.runloop). One for a name also applies to every variant of it. They only ever tighten (docs/operator.md).

Exit code 3: an override exists and cannot be used, so what is left is unknown.`,
  async run(args, io) {
    const sandbox = args.sandbox ? await sandboxHere(io) : undefined
    if (sandbox?.note !== undefined) warn(io, args, sandbox.note)
    const targets = await resolveAgents(args.path, { agentsDir: args.agentsDir, cwd: io.cwd })
    const { done, failed } = await each(targets, target => showCaps(target, io))
    report(io, args, {
      tool: 'caps.show',
      result: {
        agents: done.map(one => capsReport(one, sandbox)),
        ...(failed.length > 0 && { failed: failuresOf(failed) }),
      },
      warnings: done.flatMap(warningsOf),
      text: () => done.map(one => renderCaps(one, sandbox, createStyle(io.color), columnsOf(io))).join('\n'),
    })
    printFailures(io, args, failed)
    const isBroken = done.some(({ overrides }) => overrides.some(({ says }) => says === undefined))
    if (isBroken) note(io, args, 'Run rlp doctor, which says how to put it right')
    return worstExit([isBroken ? EXIT.machine : EXIT.ok], failed)
  },
})

function warningsOf({ agent, overrides, tools }: ShownCaps): string[] {
  const found = overrides.flatMap(({ findings }) => findings)
  return [
    ...found
      .filter(({ severity }) => severity === 'warning')
      .map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ...(tools === undefined
      ? [`${agent.label} has no ${TOOLS_FILE} that can be read, so no tools are shown`]
      : []),
  ]
}
