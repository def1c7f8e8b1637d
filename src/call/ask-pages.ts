// Pages that fit a terminal and show every part of a call that a person has to confirm, and the lines of its plan.
import { pad, width } from '../cli/render/layout.ts'
import type { RunPlan } from '../model/run.ts'
import { digestStart } from '../text/digest-text.ts'
import { printable } from '../text/printable.ts'
import type { ConfirmQuestion } from './context.ts'

/** Lines that the frame of a page and the question below it take. */
const AROUND = 10
/** The fewest lines of a page: those that fit a terminal of 24 lines. A lower terminal scrolls. */
const LEAST_LINES = 14
/** More than a person would read: 40 of the smallest pages. */
const MOST_LINES = 40 * LEAST_LINES
const MOST_CHARACTERS = 64 * 1024
/** Continued lines are indented, so that no text can imitate a line of rlp's own. */
const CONTINUED = '    '

/**
 * Everything, uncut. Undefined if it is too long to be read: then it cannot be confirmed.
 *
 * @param columns of a line
 * @param rows of the terminal
 */
export function questionPages(
  question: ConfirmQuestion,
  columns: number,
  rows: number,
): string[][] | undefined {
  const lines = questionLines(question)
  if (lines === undefined) return undefined
  const shown = lines.flatMap(line => hardWrap(line, Math.max(20, columns)))
  if (shown.length > MOST_LINES) return undefined
  const height = Math.max(LEAST_LINES, rows - AROUND)
  const pages: string[][] = []
  for (let at = 0; at < shown.length; at += height) pages.push(shown.slice(at, at + height))
  return pages
}

/** The same for a client with a display of its own. */
export function questionLines({
  tool,
  agent,
  plan,
  arguments: given,
}: ConfirmQuestion): string[] | undefined {
  const json = JSON.stringify(given, null, 2) ?? ''
  const texts = [tool.description, json, ...plan.lines.flat()]
  if (texts.reduce((sum, text) => sum + text.length, 0) > MOST_CHARACTERS) return undefined
  const whole = Number.POSITIVE_INFINITY
  const summary = agent.words?.(tool.id).summary
  return [
    ...(summary === undefined ? [] : [`in short: ${summary}`]),
    printable(tool.description, whole),
    agent.bundle === null ? 'of a folder that is not verified' : `manifest ${digestStart(agent.bundle)}`,
    ...planLines(plan, whole),
    'with the arguments',
    ...json.split('\n').map(line => printable(line, whole)),
  ]
}

/** Splits at every column and keeps spaces: a terminal's own wrapping would hide what is there. */
function hardWrap(line: string, columns: number): string[] {
  const lines: string[] = []
  let now = ''
  let used = 0
  // Spaces count as well: a terminal would wrap them by itself, and the page would be longer than it.
  let isStarted = false
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const wide = width(segment)
    if (used + wide > columns && isStarted) {
      lines.push(now)
      now = CONTINUED
      used = CONTINUED.length
    }
    now += segment
    used += wide
    isStarted = true
  }
  return [...lines, now]
}

const LABEL = 12
/** Characters of one line: a body can be megabytes long. */
const LONGEST = 2000

export function planLines({ lines }: RunPlan, longest = LONGEST): string[] {
  return lines.map(([label, value]) => `${pad(printable(label), LABEL)} ${printable(value, longest)}`)
}
