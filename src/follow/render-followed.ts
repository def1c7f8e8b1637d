// Writes what is known of followed channels as lines for people.
import type { ExitCode, GlobalArgs, Io } from '../cli/command.ts'
import { refuseUnrecorded } from '../cli/render/refusal.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import type { ChannelFacts } from '../model/channel.ts'
import { EXIT } from '../model/exit-code.ts'
import type { PolicySource } from '../model/trust.ts'
import { digestText } from '../text/digest-text.ts'
import { printable } from '../text/printable.ts'
import { timeBetween } from '../text/time.ts'
import { factsOf } from '../trust/channels/judge-channel.ts'
import type { TrustUpdated } from './answers.ts'
import { type ChannelOutcome, isNew, tookAll } from './update-all.ts'
import type { RecordedUpdates } from './update-recorded.ts'

/** For a person who sees that something was refused. */
export const REFUSED_AGAIN =
  'What was there stays. Ask the people who publish this channel, if it is refused again'

export const NONE_FOLLOWED =
  'No channel is followed here: rlp trust follow CHANNEL --root DIGEST begins to follow one'

export function updatedExit({ outcomes, lost }: RecordedUpdates): ExitCode {
  return lost === undefined && outcomes.every(tookAll) ? EXIT.ok : EXIT.machine
}

/** What is printed of an update. */
interface UpdateShown {
  /** The tool contract's name. */
  readonly tool: string
  readonly answer: TrustUpdated
  readonly lines: readonly string[]
  readonly notes?: readonly string[]
}

/** What is missing in the audit log comes last; with --json the answer is part of that refusal. */
export function printUpdated(
  { outcomes, lost }: RecordedUpdates,
  { tool, answer, lines, notes = [] }: UpdateShown,
  args: GlobalArgs,
  io: Io,
): void {
  if (lost === undefined || !args.json)
    report(io, args, {
      tool,
      result: answer,
      warnings: answer.warnings,
      quiet: outcomes.every(tookAll) ? [] : undefined,
      text: () => lines.map(line => `${line}\n`).join(''),
    })
  for (const line of notes) note(io, args, line)
  if (lost !== undefined) refuseUnrecorded(lost, { tool, extra: { ...answer } }, args, io)
}

/** One line: the channel, and what became of it. */
export function outcomeLine(outcome: ChannelOutcome, color: boolean): string {
  const style = createStyle(color)
  const { name } = outcome.channel
  if ('error' in outcome) return `${style.red(SYMBOLS.bad)} ${printable(`${name}: ${outcome.error.message}`)}`
  const { before, state, refused } = outcome.updated
  if (refused !== undefined) {
    const from = before?.roots.length ?? 0
    const proven = state.roots.length > from ? `; ${rootWords(factsOf(name, state))} was proven` : ''
    return `${style.red(SYMBOLS.bad)} ${printable(`${name}: refused: ${refused.problem}${proven}`)}`
  }
  const words = isNew(outcome) ? 'updated' : 'nothing new'
  return `${style.green(SYMBOLS.ok)} ${printable(`${name}: ${words}: ${contentWords(factsOf(name, state))}`)}`
}

function rootWords({ root }: ChannelFacts): string {
  return root === null ? 'no root' : `root ${root}`
}

/** Numbers that began anew look like those of before. */
function releaseWords({ release }: ChannelFacts): string {
  if (release === null) return 'no release'
  return `release ${release.version}${release.epoch > 1 ? ` of epoch ${release.epoch}` : ''}`
}

function contentWords(facts: ChannelFacts): string {
  const { release, issued, until } = facts
  const which = `${releaseWords(facts)}${release === null ? '' : `, ${rootWords(facts)}`}`
  return issued === null ? which : `${which}, heartbeat of ${issued}, until ${until}`
}

/** A clock that is behind sees what is to come. Heartbeats may be some seconds ahead. */
function agoWords(then: Date, now: Date): string {
  const isAhead = then.getTime() - now.getTime() >= 60_000
  return `${timeBetween(then, now)} ${isAhead ? 'from now' : 'ago'}`
}

/** Some lines for each channel. */
export function statusLines(source: PolicySource, about: string, now: Date, style: Style): string[] {
  const { channel, problems, policy, hint } = source
  const mark = policy === undefined ? style.red(SYMBOLS.bad) : style.green(SYMBOLS.ok)
  const head = `${mark} ${style.bold(printable(channel?.name ?? source.path))}  ${style.dim(printable(about))}`
  if (channel === undefined || channel.channel === null)
    return [head, ...problems.map(problem => `  ${printable(problem)}`), ...hintLine(hint)]
  const { release, issued, until } = channel
  const age = issued === null ? '' : `heartbeat of ${issued}, ${agoWords(new Date(issued), now)}`
  const left =
    until === null
      ? ''
      : Date.parse(until) < now.getTime()
        ? `ended at ${until}`
        : `until ${until}, ${timeBetween(now, new Date(until))} from now`
  return [
    head,
    `  ${digestText(channel.channel)}`,
    `  ${rootWords(channel)}, ${releaseWords(channel)}${release === null ? '' : ` ${digestText(release.blake3)}`}`,
    ...[age, left].filter(line => line !== '').map(line => `  ${line}`),
    ...problems.map(problem => `  ${printable(problem)}`),
    ...(policy === undefined ? hintLine(hint) : []),
  ]
}

function hintLine(hint: string | undefined): string[] {
  return hint === undefined ? [] : [`  ${printable(hint)}`]
}
