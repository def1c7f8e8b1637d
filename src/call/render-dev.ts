// A round of rlp agent dev → what is new, for the person at the keyboard.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { fit } from '../cli/render/fit.ts'
import { createStyle, SYMBOLS, wantsColor } from '../cli/render/style.ts'
import { renderFindings } from '../lint/render.ts'
import { RlpError } from '../model/error.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import type { Round } from './dev-round.ts'
import { caseText } from './formats/case-text.ts'
import type { TestedAgent } from './run-cases.ts'

/** More names do not help in a line. */
const MOST_NAMES = 3

/**
 * On standard error, because standard output speaks MCP.
 * @param changed none in the first round
 */
export function renderRound(
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
export function renderCases(tested: TestedAgent, args: Pick<GlobalArgs, 'color'>, io: Io): string {
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
