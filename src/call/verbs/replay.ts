// rlp tool replay: shows a trace without running anything, compares it with a bundle, or runs it again and compares.
import type { Style } from '../../cli/render/style.ts'
import { serialize } from '../../contract/serialize.ts'
import { oneAgent } from '../../inspect/look-into.ts'
import { rootsFor } from '../../io/root/roots.ts'
import { UsageError } from '../../model/error.ts'
import { EXIT } from '../../model/exit-code.ts'
import type { ResultPayload } from '../../model/trace.ts'
import { printable } from '../../text/printable.ts'
import { plural } from '../../text/words.ts'
import {
  type Asked,
  type At,
  commandOf,
  defineVerb,
  type Input,
  needed,
  type World,
  whether,
} from '../../verb/index.ts'
import { labelledFile } from '../../verb/kinds/paths.ts'
import type { LoadedBundle } from '../../verify/load.ts'
import { NotVerifiedError } from '../../verify/make-report.ts'
import { usedRefusal } from '../../verify/render.ts'
import { confirmOn } from '../ask-confirm.ts'
import { confirmGiven } from '../confirm-inputs.ts'
import { asksForConfirmation } from '../confirmation.ts'
import { type Confirm, UNANSWERED } from '../context.ts'
import { callableBundle, type OpenAgent, openAgent, originOf } from '../open-agent.ts'
import { openingBy, TYPED_OPENING } from '../open-inputs.ts'
import { CALL_OPTIONS } from '../options.ts'
import {
  comparedAnswers,
  exchangesIn,
  live as liveAnswers,
  type Replayed,
  type ReplayResult,
  replayResult,
} from '../replay.ts'
import { CALLING, sandboxBy, sessionBy } from '../session-inputs.ts'
import { readFrame, readTrace } from '../trace.ts'

const DOING = 'replay with'

/** What the trace is compared with. */
interface Compared {
  /** By what it was judged, of one that was loaded before. */
  readonly judging?: object
  open(asked: Asked<typeof TYPED_OPENING>): Promise<Pick<OpenAgent, 'agent' | 'isTrusted'>>
}

const bundle: Input<LoadedBundle, Compared | undefined> = {
  type: 'LoadedBundle',
  typed: {
    type: 'string',
    placeholder: 'BUNDLE',
    names: 'installed',
    describe: 'report what is missing or has changed in this bundle or installed agent',
  },
  isLive: true,
  fromTyped: (named: string, { world }: At) => ({ open: asked => openNamed(named, asked, world) }),
  fromGiven(given) {
    const { bundle, overrides, judging } = originOf(given, DOING)
    const isTrusted = bundle.report.verdict === 'trusted'
    return { judging, open: async () => ({ agent: callableBundle(bundle, overrides), isTrusted }) }
  },
}

/** Who is asked is decided when a call is run again. */
const confirm: Input<Confirm, () => Promise<Confirm>> = {
  type: 'Confirm',
  typed: { ...CALL_OPTIONS.yes, flag: 'yes' },
  absent: () => async () => UNANSWERED,
  fromTyped:
    (yes: boolean, { world }: At) =>
    async () => {
      const { terminal } = world
      const asks = await asksForConfirmation({ yes }, world)
      return terminal === undefined
        ? UNANSWERED
        : confirmOn(terminal.io, { ...terminal.args, asks }, terminal.open)
    },
  fromGiven: (given, at) => {
    const confirm = confirmGiven(given, at)
    return async () => confirm
  },
}

/**
 * The calls of a trace with their answers. Without `live`, nothing is run.
 *
 * @param trace what the option `trace` of a call has written
 *
 * @example
 * const { calls } = await replay('calls.ndjson')
 * for (const { call, differences } of calls) console.log(call.tool, differences.map(({ code }) => code))
 *
 * @throws {@link RlpError} `WRONG_FILE_TYPE` for what is no trace, or one that was changed; `NOT_FOUND`, `USAGE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'tool replay',
  summary: 'answer recorded calls from a trace, or run them again and compare',
  called: 'replay',
  arguments: ['trace'],
  inputs: {
    trace: needed(labelledFile('what --trace has written', { doing: 'replay' })),
    /** Compare with this one: what is missing in it, or has changed. */
    bundle,
    /** Run each call again, with the tools of `bundle`, and compare the answers. */
    live: whether('run each call again, with the tools of --bundle, and compare'),
    /** Asked where a tool wants a person's yes; without it such a call is refused. */
    confirm,
    // A replay is not recorded again.
    ...CALLING,
    ...TYPED_OPENING,
  },
  async run({ trace, bundle, live, confirm, ...asked }, world): Promise<Replay> {
    if (live && bundle === undefined)
      throw new UsageError('Cannot replay live: no bundle is named whose tools could be run', {
        field: 'live',
        hint: `Add ${world.spelt('bundle')}`,
      })
    const sandbox = live ? await sandboxBy({ ...asked, trace: undefined }, world, bundle?.judging) : undefined
    const { frames, isCutOff } = await readTrace(trace.path, trace.label, readFrame)
    const exchanges = exchangesIn(frames, trace.label)
    const opened = await bundle?.open(asked)
    if (sandbox === undefined || opened === undefined)
      return { replayed: comparedAnswers(exchanges, opened), isCutOff }
    const session = await sessionBy(asked, world, await confirm(), { sandbox })
    try {
      return { replayed: await liveAnswers(exchanges, opened, session, world.signal), isCutOff }
    } finally {
      await session.close()
    }
  },
  answer: ({ replayed, isCutOff }): ReplayResult => replayResult(replayed, { isCutOff }),
})

interface Replay {
  readonly replayed: readonly Replayed[]
  readonly isCutOff: boolean
}

/** @throws NotVerifiedError */
async function openNamed(
  named: string,
  asked: Asked<typeof TYPED_OPENING>,
  world: World,
): Promise<OpenAgent> {
  const roots = await rootsFor(asked.root, world.cwd)
  const target = await oneAgent(DOING, named, world, roots)
  const opened = await openAgent(DOING, target, openingBy(asked, world), world)
  if (opened.is === 'refused') throw new NotVerifiedError(opened.report)
  return opened
}

export const command = commandOf(verb, {
  examples: [
    ['rlp tool replay calls.ndjson', 'shows the recorded answers; runs nothing'],
    ['rlp tool replay calls.ndjson --bundle mailer', 'whether the tools are still those'],
    ['rlp tool replay calls.ndjson --bundle dist/mailer-0.2.0.agent.bundle --live', 'run again'],
  ],
  notes:
    'Exit code 0: no difference. 1: a difference, or the bundle is not trusted. A trace holds no secrets: --live sends the mask in place of a secret in an argument.',
  warnings: ({ isCutOff }) => (isCutOff ? ['The last line of the trace is cut off, and left out'] : []),
  // Without a bundle, the recorded answers are what is asked for.
  quiet: ({ replayed }, { asked: { bundle } }) =>
    bundle !== undefined && differing(replayed) === 0 ? [] : undefined,
  text: ({ replayed }, { style, io }) => replayed.map(one => replayedText(one, style, io.columns)).join(''),
  note({ replayed }, { asked: { live } }) {
    const different = differing(replayed)
    const how = different === 0 ? 'no differences' : `${different} ${different === 1 ? 'differs' : 'differ'}`
    return `replayed ${plural(replayed.length, 'call')}: ${how}${live ? '' : '; no tool was run'}`
  },
  exit({ replayed }, { io }) {
    if (io.signal.aborted) return EXIT.user
    return differing(replayed) === 0 ? EXIT.ok : EXIT.bundle
  },
  refused: (error, { io }) =>
    error instanceof NotVerifiedError ? usedRefusal(error.report, DOING, io) : undefined,
})

function differing(replayed: readonly Replayed[]): number {
  return replayed.filter(({ differences }) => differences.length > 0).length
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
