// rlp caps show: what an agent may do on this host, and which of its tools may be used.
import { each, failuresOf, type Outcome, onlyOne, printFailures, worstExit } from '../../cli/each.ts'
import { columnsOf, report, warn } from '../../cli/render/report.ts'
import { AGENT_OPTIONS, AGENT_PATHS, resolveAgents } from '../../cli/targets.ts'
import { runloopHome } from '../../io/home.ts'
import { TOOLS_FILE } from '../../model/agent.ts'
import { EXIT } from '../../model/exit-code.ts'
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { commandOf, defineVerb, needed, text, typedOnly, whether } from '../../verb/index.ts'
import { eachNamed, targetsOf } from '../../verb/kinds/bundles.ts'
import { home } from '../../verb/kinds/paths.ts'
import { type ShownCaps, showCaps } from '../permissions.ts'
import { renderCaps } from '../render.ts'
import { type CapsReport, capsReport } from '../report.ts'

export interface AgentsShown extends Outcome<ShownCaps> {
  /** To say what programs may reach; undefined to leave that out. */
  readonly sandbox: Sandbox | undefined
}

/**
 * Says what an agent's folder may do on this host: what policy.caps grants, what overrides leave of it, and which tools may be used.
 *
 * @example
 * const { effective, tools } = await capsShow('agents/mailer')
 * console.log(effective, tools?.filter(({ granted }) => !granted))
 *
 * @throws {@link RlpError} `LINT_FAILED` if policy.caps or the agent's name cannot be read, `NOT_FOUND`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'caps show',
  summary: 'show what an agent may do here, after overrides',
  arguments: ['agent'],
  inputs: {
    agent: needed(eachNamed({ ...AGENT_PATHS, flag: 'path', optional: true }, 'show what may be done by')),
    agentsDir: typedOnly(text(AGENT_OPTIONS['agents-dir'].describe, AGENT_OPTIONS['agents-dir'])),
    /** The folder with the user's overrides, instead of `$RUNLOOP_HOME` or `~/.runloop`. The system's overrides always apply. */
    home: { ...home, absent: ({ env }) => runloopHome(env) },
    /** Also say what the program of each tool may reach on this host. */
    sandbox: whether('also what the program of each tool may reach on this host'),
  },
  async run({ agent, agentsDir = '', home, ...asked }, world): Promise<AgentsShown> {
    const { cwd, terminal } = world
    const setting = { ...world, env: { ...world.env, RUNLOOP_HOME: home } }
    // As calls open it, where nothing else is asked for.
    const sandbox = asked.sandbox ? await openSandbox(undefined, { ...setting, told: [] }) : undefined
    if (sandbox?.note !== undefined && terminal !== undefined) warn(terminal.io, terminal.args, sandbox.note)
    const targets = await targetsOf(agent, typed => resolveAgents(typed, { agentsDir, cwd }))
    return { ...(await each(targets, target => showCaps(target, setting))), sandbox }
  },
  answer: (shown: AgentsShown): CapsReport => capsReport(onlyOne(shown), shown.sandbox),
})

export const command = commandOf(verb, {
  examples: [
    ['rlp caps show mailer', 'grants, overrides and tools of one agent'],
    ['rlp caps show mailer --sandbox', 'and what each program may reach'],
    ['rlp caps show --json', 'all agents in ./agents, for a program'],
  ],
  notes: `Overrides are looked for in /etc/runloop/policy-overrides/<name>.caps, ~/.runloop/policy-overrides/<name>/policy.caps and ~/.runloop/caps/overrides/<name>.toml (or below $RUNLOOP_HOME in place of ~/.runloop). One for a name also applies to every variant of it. They only ever tighten (docs/operator.md).

Exit code 3: an override exists and cannot be used, so what is left is unknown.`,
  print({ done, failed, sandbox }, { args, io, style }) {
    report(io, args, {
      tool: 'caps.show',
      result: {
        agents: done.map(one => capsReport(one, sandbox)),
        ...(failed.length > 0 && { failed: failuresOf(failed) }),
      },
      warnings: done.flatMap(warningsOf),
      text: () => done.map(one => renderCaps(one, sandbox, style, columnsOf(io))).join('\n'),
    })
    printFailures(io, args, failed)
  },
  note: shown => (isBroken(shown) ? 'Run rlp doctor, which says how to put it right' : undefined),
  exit: shown => worstExit([isBroken(shown) ? EXIT.machine : EXIT.ok], shown.failed),
})

function isBroken({ done }: AgentsShown): boolean {
  return done.some(({ overrides }) => overrides.some(({ says }) => says === undefined))
}

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
