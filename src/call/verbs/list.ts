// rlp tool list: the tools that may be called, of one agent or of all installed ones.
import { INTERFACES_FILE } from '../../agent-tool/records.ts'
import type { SafetyFacts } from '../../caps/interface-records.ts'
import type { Io } from '../../cli/command.ts'
import { refuseTableAsJson, TABLE_OPTION } from '../../cli/options.ts'
import { cut, width, wrap } from '../../cli/render/layout.ts'
import { note, report } from '../../cli/render/report.ts'
import { createStyle, type Style } from '../../cli/render/style.ts'
import { table } from '../../cli/render/table.ts'
import type { Root } from '../../io/root/root-places.ts'
import { rootsFor } from '../../io/root/roots.ts'
import { EXIT } from '../../model/exit-code.ts'
import type { Report } from '../../model/report.ts'
import type { Tool } from '../../model/tools.ts'
import { printable } from '../../text/printable.ts'
import { plural } from '../../text/words.ts'
import { commandOf, defineVerb, type Input, needed } from '../../verb/index.ts'
import type { BundleGiven, BundleTarget } from '../../verify/bundle-input.ts'
import { judgedWith, bundle as oneBundle } from '../../verify/bundle-inputs.ts'
import type { DeniedTool } from '../../verify/load.ts'
import { NotVerifiedError } from '../../verify/make-report.ts'
import { usedRefusal } from '../../verify/render.ts'
import type { CallableAgent } from '../context.ts'
import {
  type ListedTools,
  listedTools,
  type OpenAgent,
  openAgent,
  openAgents,
  safetyOf,
} from '../open-agent.ts'
import { OPENING, openingBy } from '../open-inputs.ts'

const HEAD = ['tool', 'kind', 'asks', 'description']
/** Columns: less than that says nothing. */
const LEAST_DESCRIPTION = 16
const DOING = 'list the tools of'

const TARGET = {
  type: 'string',
  flag: 'target',
  names: 'installed',
  optional: true,
  describe:
    'a bundle, an unpacked bundle, or the name of an installed agent; every installed one when absent',
} as const

/** A name is looked up among the installed agents, all of which are meant without one. */
const bundle: Input<BundleGiven, BundleTarget | { readonly named: string | undefined }> = {
  ...oneBundle(TARGET.describe, DOING),
  typed: TARGET,
  absent: () => ({ named: undefined }),
  fromTyped: (named: string) => ({ named }),
}

/**
 * The tools of a bundle that may be called on this host, and those that may not. A loaded bundle is judged again.
 *
 * @example
 * const { tools, denied } = await listTools('dist/mailer-0.1.0.agent.bundle')
 * console.log(tools.map(({ id }) => id), denied)
 *
 * @throws {@link NotVerifiedError} for a bundle that may not be used
 * @throws {@link RlpError} `NOT_FOUND`, `USAGE`, `LINT_FAILED` for a folder that cannot be read, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'tool list',
  summary: 'list the tools that may be called, of a verified bundle',
  called: 'listTools',
  arguments: ['bundle'],
  inputs: {
    bundle: needed(bundle),
    ...OPENING,
  },
  isLong: true,
  async run({ bundle, ...asked }, world): Promise<Listing> {
    const options = openingBy(asked, world)
    if ('target' in bundle) {
      const opened = await openAgent(DOING, bundle.target, judgedWith(options, bundle), world)
      if (opened.is === 'refused') throw new NotVerifiedError(opened.report)
      return { agents: [opened], refused: [], roots: [] }
    }
    const roots = await rootsFor(asked.root, world.cwd)
    const opened = await openAgents(DOING, bundle.named, roots, options, world)
    const [first] = opened
    if (bundle.named !== undefined && first?.is === 'refused') throw new NotVerifiedError(first.report)
    return {
      agents: opened.flatMap(one => (one.is === 'open' ? [one] : [])),
      refused: opened.flatMap(one => (one.is === 'refused' ? [one.report] : [])),
      roots,
    }
  },
  answer: ({ agents: [only] }): ListedTools => listedTools(only as OpenAgent),
})

/** One agent for a program; the command line may ask for every installed one. */
interface Listing {
  readonly agents: readonly OpenAgent[]
  readonly refused: readonly Report[]
  /** Where agents were searched. */
  readonly roots: readonly Root[]
}

export const command = commandOf(verb, {
  flags: { table: TABLE_OPTION },
  examples: [
    ['rlp tool list mailer', 'of the agent that is installed under this name'],
    ['rlp tool list dist/mailer-0.1.0.agent.bundle --json', 'with their schemas, for a program'],
    ['rlp tool list agents/mailer --unverified', 'of a folder that you work in'],
  ],
  notes:
    'Two kinds of tools are not listed: those that need more than policy.caps and its overrides on this host grant, and those that a record of interfaces.json keeps back. Standard error says why; with --json, denied does. What records say of the safety of a tool is shown beside it. An agent that may not be used makes the exit code that of rlp agent verify.',
  ready: refuseTableAsJson,
  print({ agents, refused, roots }, { args, io }) {
    report(io, args, {
      tool: 'tool.list',
      result: {
        agents: agents.map(listedTools),
        refused: refused.map(({ target, verdict, reasons }) => ({ target, verdict, reasons })),
      },
      warnings: refused.map(({ target, verdict }) => `${target} is ${verdict}: none of its tools is listed`),
      text: () => agents.map(one => textOf(one, io)).join('\n'),
    })
    if (agents.length + refused.length === 0)
      note(io, args, `no agent is installed (searched: ${roots.map(({ label }) => label).join(', ')})`)
    for (const { target, agent } of agents)
      for (const line of hiddenLines(target.label, agent.denied)) note(io, args, line)
  },
  exit: ({ refused }) => (refused.length > 0 ? EXIT.bundle : EXIT.ok),
  refused: (error, { io }) =>
    error instanceof NotVerifiedError ? usedRefusal(error.report, DOING, io) : undefined,
})

function textOf({ agent }: OpenAgent, io: Io): string {
  const style = createStyle(io.color)
  const rows = agent.tools.map(cellsOf)
  const lines = rows.length === 0 ? ['no tools'] : listOf(rows, style, io)
  const facts = safetyLines(agent)
  const safety = facts.length === 0 ? [] : ['', style.bold(`what ${INTERFACES_FILE} says of them`), ...facts]
  return `${style.bold(agent.name)}\n${[...lines, ...safety].map(line => `  ${line}`.trimEnd()).join('\n')}\n`
}

/** Descriptions may have any length: on a terminal each is cut to one line, elsewhere it is whole. */
function listOf(rows: readonly string[][], style: Style, io: Io): string[] {
  const lines = table(HEAD, rows, createStyle(false))
  const facts = table(
    HEAD.slice(0, -1),
    rows.map(row => row.slice(0, -1)),
    createStyle(false),
  )
  if (io.isTTY.stdout && facts.some(line => width(line) + LEAST_DESCRIPTION > io.columns))
    return table(HEAD, rows, style, 0)
  const [head = '', ...rest] = io.isTTY.stdout ? lines.map(line => cut(line, io.columns - 2)) : lines
  return [style.bold(head), ...rest]
}

function cellsOf({ id, transport, requiresConfirmation, description }: Tool): string[] {
  return [
    id,
    transport.kind,
    requiresConfirmation ? 'yes' : 'no',
    wrap(description, Number.POSITIVE_INFINITY).join(' '),
  ]
}

/** Hidden tools that a line names; `--json` has all of them. */
const MOST_NAMED = 6

/** Why tools are not listed: a line for each reason, however many tools it is true of. */
function hiddenLines(label: string, denied: readonly DeniedTool[]): string[] {
  const kept = (reason: DeniedTool['reason'], is: string) => {
    const ids = denied.filter(one => one.by === INTERFACES_FILE && one.reason === reason).map(({ id }) => id)
    return ids.length === 0 ? [] : [`${named(ids)} of ${label} ${ids.length === 1 ? 'is' : 'are'} ${is}`]
  }
  const poor = denied.filter(({ by }) => by !== INTERFACES_FILE).length
  return [
    ...(poor === 0
      ? []
      : [
          `${plural(poor, 'tool')} of ${label} ${poor === 1 ? 'is' : 'are'} not granted what ${poor === 1 ? 'it needs' : 'they need'}`,
        ]),
    ...kept('disabled', `hidden: disabled by ${INTERFACES_FILE}`),
    ...kept('setup_required', `hidden: setup_required, says ${INTERFACES_FILE}`),
  ]
}

function named(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED
  return `${ids.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** A line for each tool of which records say anything. */
function safetyLines(agent: CallableAgent): string[] {
  return safetyOf(agent).map(([id, facts]) => `${printable(id, 100)}: ${factsText(facts)}`)
}

function factsText(facts: SafetyFacts): string {
  return Object.entries(facts)
    .map(([key, value]) => printable(`${key} ${JSON.stringify(value)}`, 100))
    .join(', ')
}
