// rlp agent dev: an agent's folder, followed while its author works in it, as an MCP server on standard input and output.
import { sep } from 'node:path'
import { type CommandArgs, defineCommand, type GlobalArgs, type Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { fit } from '../cli/render/layout.ts'
import { note, warn } from '../cli/render/report.ts'
import { createStyle, SYMBOLS, wantsColor } from '../cli/render/style.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import { namedPath } from '../io/home.ts'
import { renderFindings } from '../lint/render.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { writePath } from '../text/shell-words.ts'
import { plural } from '../text/words.ts'
import { AGENT_HERE, findAgent } from '../verb/kinds/one-agent.ts'
import { type TestedAgent, testAgent } from './cases.ts'
import { asksForConfirmation } from './confirmation.ts'
import { UNANSWERED } from './context.ts'
import { devAgent, type Round } from './dev.ts'
import { caseText } from './formats/case-text.ts'
import { CALL_OPTIONS, refuseJson, sandboxFor, streamsOf, TRUST_CLIENT } from './options.ts'
import { unverified } from './served.ts'
import { openSession } from './session-inputs.ts'

const OPTIONS = {
  ...AGENT_OPTIONS,
  test: { type: 'boolean', describe: 'run the cases of rlp agent test after each change too' },
  'trust-client-confirmation': TRUST_CLIENT,
  ...CALL_OPTIONS,
} as const satisfies OptionTable

type Args = CommandArgs<typeof OPTIONS, readonly [typeof AGENT_HERE]>

export const command = defineCommand({
  name: 'agent dev',
  summary: 'follow a folder while you work in it, and serve its tools to an MCP client, unverified',
  positionals: [AGENT_HERE],
  options: OPTIONS,
  examples: [
    ['rlp agent dev agents/mailer', 'what your MCP client starts, or you in a terminal'],
    ['rlp agent dev mailer --test', 'with the cases of its tools after each change'],
    ['rlp agent dev mailer --trace calls.ndjson', 'with a record of every call'],
  ],
  notes:
    'After each change it writes the digests, checks the agent, says what is new, and serves the tools as they are now: without packing, and without a signature. A change that cannot be served leaves the tools from before. Calls are held to policy.caps, to the sandbox and to confirmation as always; secrets need --with-secrets.\n\nStandard output speaks the Model Context Protocol; everything for you is on standard error. It ends with the input, or with Ctrl-C.\n\nExit code 0: the input ended. 130: interrupted.',
  run: runDev,
})

async function runDev(args: Args, io: Io): Promise<ExitCode> {
  refuseJson(args)
  const target = await findAgent(args, 'follow', io.cwd)
  for (const option of ['audit', 'trace'] as const) refuseInside(target.path, option, args[option], io)
  const sandbox = await sandboxFor(args, io)
  const asks = await asksForConfirmation(args, io)
  const session = await openSession(args, sandbox, io, UNANSWERED)
  const tell = (text: string) => {
    if (!args.quiet) io.stderr(text)
  }
  const trouble = (message: string) => io.stderr(`rlp: ${printable(message)}\n`)
  warn(io, args, unverified(target.label))
  // A person who starts it has no client at the other end.
  if (io.isTTY.stdin)
    note(io, args, `an MCP client starts it as: rlp agent dev ${writePath(target.path)}; Ctrl-C ends it`)
  try {
    await devAgent(
      {
        target,
        session,
        serving: { yes: !asks, trustClientConfirmation: args.trustClientConfirmation, trouble },
        streams: streamsOf(io, message => tell(`protocol: ${printable(message)}\n`)),
        async onRound(changed, round, tools, signal) {
          tell(renderRound(target.label, changed, round, tools, args, io))
          if (!args.test || round.served instanceof RlpError) return
          const opened = await round.served.now()
          if (opened.is !== 'open') return
          const tested = await testAgent(target, opened, session, signal)
          // A case that was ended in the middle has no result.
          tell(
            io.signal.aborted ? 'the cases were ended before all had run\n' : renderCases(tested, args, io),
          )
        },
        onUnread: error => trouble(error.message),
      },
      io,
    )
  } finally {
    await session.close()
  }
  if (!io.signal.aborted) return EXIT.ok
  tell(`${printable(target.label)}  ended\n`)
  return EXIT.user
}

/** Each call would be a change of the folder, and with --test each change a call. */
function refuseInside(folder: string, option: string, file: string | undefined, io: Io): void {
  if (file === undefined || !namedPath(file, io.cwd).startsWith(folder + sep)) return
  throw new UsageError(`Cannot use --${option} with "${file}": it is inside of the folder that is followed`, {
    field: option,
    hint: 'Name a file in another folder',
  })
}

/** More names do not help in a line. */
const MOST_NAMES = 3

/**
 * On standard error, because standard output speaks MCP.
 * @param changed none in the first round
 */
function renderRound(
  label: string,
  changed: readonly string[],
  { digests, linted, gone, served }: Round,
  tools: number,
  args: Pick<GlobalArgs, 'color'>,
  io: Io,
): string {
  const { style, screen } = sightOf(args, io)
  const findings = renderFindings(linted, style, io.columns, screen)
  const isGood = !(served instanceof RlpError)
  const count = plural(tools, 'tool')
  const facts = [
    ...(changed.length === 0 ? [] : [`${namesOf(changed)} changed`]),
    ...(digests ? [`${plural(digests, 'digest')} written`] : []),
    ...(gone > 0 ? [`${plural(gone, 'finding')} gone`] : []),
    isGood ? `serving ${count}` : `still serving ${count} from before: ${served.message}`,
  ]
  const sign = isGood ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
  return fit(`${findings}${sign} ${style.bold(printable(label))}  ${printable(facts.join(', '))}\n`, screen)
}

function namesOf(changed: readonly string[]): string {
  const named = changed.filter(path => path !== '').slice(0, MOST_NAMES)
  const left = changed.length - named.length
  return [...named, ...(left > 0 ? [`${left} more`] : [])].join(' and ')
}

/** Only the cases that are not fulfilled; nothing if the agent has none. */
function renderCases(tested: TestedAgent, args: Pick<GlobalArgs, 'color'>, io: Io): string {
  const { style, screen } = sightOf(args, io)
  const all = tested.results.length
  if (all === 0) return ''
  const text = caseText.render({ tested: [tested], failed: [], quiet: true }, style)
  const wrong = tested.results.filter(({ problem }) => problem !== undefined).length
  const sum =
    wrong === 0
      ? `${style.green(SYMBOLS.ok)} ${plural(all, 'case')}`
      : `${wrong} of ${plural(all, 'case')} failed`
  return fit(`${text}${sum}\n`, screen)
}

function sightOf({ color }: Pick<GlobalArgs, 'color'>, io: Io) {
  return {
    style: createStyle(wantsColor(color, io.env, io.isTTY.stderr)),
    screen: io.isTTY.stderr ? io.columns : Number.POSITIVE_INFINITY,
  }
}
