// rlp tool replay: shows a trace without running anything, compares it with a bundle, or runs it again and compares.
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { openTerminal } from '../cli/interactive.ts'
import type { OptionTable } from '../cli/option.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, type Style } from '../cli/render/style.ts'
import { serialize } from '../contract/serialize.ts'
import { oneAgent } from '../inspect/look-into.ts'
import { namedPath } from '../io/home.ts'
import { rootsFor } from '../io/root/roots.ts'
import { UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { ResultPayload } from '../model/trace.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { refuseBundle } from '../verify/render.ts'
import { confirmOn } from './ask-confirm.ts'
import { asksForConfirmation } from './confirmation.ts'
import { type OpenAgent, openAgent } from './open-agent.ts'
import { CALL_OPTIONS, OPEN_OPTIONS, openOptionsOf, openSession, sandboxFor } from './options.ts'
import { comparedAnswers, type Exchange, exchangesIn, live, type Replayed, replayResult } from './replay.ts'
import { readFrame, readTrace } from './trace.ts'

/** A replay is not recorded again. */
const { trace: _, ...RUN_OPTIONS } = CALL_OPTIONS

const OPTIONS = {
  bundle: {
    type: 'string',
    placeholder: 'BUNDLE',
    names: 'installed',
    describe: 'report what is missing or has changed in this bundle or installed agent',
  },
  live: { type: 'boolean', describe: 'run each call again, with the tools of --bundle, and compare' },
  ...RUN_OPTIONS,
  ...OPEN_OPTIONS,
} as const satisfies OptionTable

const POSITIONALS = [{ name: 'trace', required: true, describe: 'what --trace has written' }] as const

type Args = CommandArgs<typeof OPTIONS, typeof POSITIONALS>

const DOING = { doing: 'replay with', tool: 'tool.replay' }

export const command = defineCommand({
  name: 'tool replay',
  summary: 'answer recorded calls from a trace, or run them again and compare',
  positionals: POSITIONALS,
  options: OPTIONS,
  examples: [
    ['rlp tool replay calls.ndjson', 'shows the recorded answers; runs nothing'],
    ['rlp tool replay calls.ndjson --bundle mailer', 'whether the tools are still those'],
    ['rlp tool replay calls.ndjson --bundle dist/mailer-0.2.0.agent.bundle --live', 'run again'],
  ],
  notes:
    'Exit code 0: no difference. 1: a difference, or the bundle is not trusted. A trace holds no secrets: --live sends the mask in place of a secret in an argument.',
  run: runReplay,
})

async function runReplay(args: Args, io: Io): Promise<ExitCode> {
  if (args.live && args.bundle === undefined) {
    throw new UsageError('Cannot replay live: no bundle is named whose tools could be run', {
      field: 'live',
      hint: 'Add --bundle',
    })
  }
  const sandbox = args.live ? await sandboxFor(args, io) : undefined
  const trace = await readTrace(namedPath(args.trace, io.cwd), args.trace, readFrame)
  const exchanges = exchangesIn(trace.frames, args.trace)
  const opened = args.bundle === undefined ? undefined : await openNamed(args.bundle, args, io)
  if (opened?.is === 'refused') return refuseBundle(opened.report, DOING, args, io)
  const replayed =
    sandbox && opened ? await again(exchanges, opened, sandbox, args, io) : comparedAnswers(exchanges, opened)
  const warnings = trace.isCutOff ? ['The last line of the trace is cut off, and left out'] : []
  const different = replayed.filter(({ differences }) => differences.length > 0).length
  // Else the recorded answers are what is asked for.
  const isCompared = args.live || args.bundle !== undefined
  report(io, args, {
    tool: 'tool.replay',
    result: replayResult(replayed, trace),
    warnings,
    quiet: isCompared && different === 0 ? [] : undefined,
    text: () => replayed.map(one => replayedText(one, createStyle(io.color), io.columns)).join(''),
  })
  const how = different === 0 ? 'no differences' : `${different} ${different === 1 ? 'differs' : 'differ'}`
  note(io, args, `replayed ${plural(replayed.length, 'call')}: ${how}${args.live ? '' : '; no tool was run'}`)
  if (io.signal.aborted) return EXIT.user
  return different === 0 ? EXIT.ok : EXIT.bundle
}

async function openNamed(named: string, args: Args, io: Io) {
  const roots = await rootsFor(args.root, io.cwd)
  const target = await oneAgent(DOING.doing, named, io, roots)
  return openAgent(DOING.doing, target, openOptionsOf(args, io), io)
}

async function again(
  exchanges: readonly Exchange[],
  opened: OpenAgent,
  sandbox: Sandbox,
  args: Args,
  io: Io,
): Promise<Replayed[]> {
  const asks = await asksForConfirmation(args, io)
  const confirm = confirmOn(io, { ...args, asks }, openTerminal)
  const session = await openSession({ ...args, trace: undefined }, sandbox, io, confirm)
  try {
    return await live(exchanges, opened, session, io.signal)
  } finally {
    await session.close()
  }
}

/** @param columns of the terminal: arguments and answers are cut to one line each */
function replayedText({ call, result, live, differences }: Replayed, style: Style, columns: number): string {
  const mark = differences.length > 0 ? style.yellow('≠') : style.green('✓')
  const most = Math.max(20, columns - 12)
  const lines = [
    `${mark} ${style.bold(printable(call.tool, 128))} ${printable(serialize(call.arguments), most)}`,
    ...(result === undefined ? [] : [`  answered  ${answerText(result, most)}`]),
    ...(live === undefined ? [] : [`  now       ${answerText(live, most)}`]),
    ...differences.map(({ message }) => `  ${style.yellow(printable(message))}`),
  ]
  return lines.map(line => `${line}\n`).join('')
}

function answerText(payload: ResultPayload, most: number): string {
  if (payload.ok) return printable(serialize(payload.result), most)
  return printable(`${String(payload.error['kind'])}: ${String(payload.error['message'])}`, most)
}
