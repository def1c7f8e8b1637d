// A picture → SVG: three columns of boxes, and lines between them.
import { printable } from '../../text/printable.ts'
import { apart } from './apart.ts'
import { escaped } from './html-text.ts'
import type { Box, Picture } from './page.ts'

const BETWEEN = 10
const WIDTH = 900
/** Of one line of text below another. */
const LINE = 15
/** Of a box with one or two lines. */
const LOWEST = 36
/** Left edge and width of each column. */
const COLUMNS = { agent: [0, 170], groups: [260, 230], reached: [590, 310] } as const
/** Letters of the text in a box of a given width. */
const PER_LETTER = 7.9
/** Of the second text, which is smaller. */
const PER_SMALL_LETTER = 6.9
/** A longer text is cut before it is shown: no path of a system is longer. */
const LONGEST = 5000

type Column = keyof typeof COLUMNS

/** A box with its texts in lines. */
interface Lined {
  readonly box: Box & { readonly isDangerous?: boolean }
  readonly label: readonly string[]
  readonly detail: readonly string[]
  readonly height: number
}

/** With a title and a description for those who do not see it. */
export function svgOf({ agent, groups, reached, lines }: Picture): string {
  const root: Box = { label: agent, detail: 'the agent', isNew: false }
  const lined = {
    agent: linedIn('agent', [root]),
    groups: linedIn('groups', groups),
    reached: linedIn('reached', reached),
  }
  const rows = Math.max(groups.length, reached.length, 1)
  const highest = Math.max(...Object.values(lined).flatMap(column => column.map(({ height }) => height)))
  const height = rows * (highest + BETWEEN) + 4
  const at = (column: Column, index: number) => (height / lined[column].length) * (index + 0.5)
  const drawn = [
    ...groups.map((_, index) => curve('agent', height / 2, 'groups', at('groups', index), false)),
    ...lines.map(({ from, to, isNew }) =>
      curve('groups', at('groups', from), 'reached', at('reached', to), isNew),
    ),
    ...(['agent', 'groups', 'reached'] as const).flatMap(column =>
      lined[column].map((one, index) => boxSvg(column, at(column, index), one)),
    ),
  ]
  const described = reached.map(({ label, isNew }) => `${isNew ? 'new: ' : ''}${label}`).join('; ')
  return [
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="picture-title picture-text">`,
    `<title id="picture-title">What ${escaped(agent, 100)} reaches</title>`,
    `<desc id="picture-text">${escaped(described, 2000)}</desc>`,
    ...drawn,
    '</svg>',
  ].join('\n')
}

/** The boxes of a column: no two that differ look alike. */
function linedIn(column: Column, boxes: readonly Lined['box'][]): readonly Lined[] {
  const wide = COLUMNS[column][1] - 16
  // A new box has a sign before its text.
  const letters = Math.floor(wide / PER_LETTER) - (boxes.some(({ isNew }) => isNew) ? 2 : 0)
  const labels = apart(
    boxes.map(({ label }) => printable(label, LONGEST)),
    { letters, lines: 2 },
  )
  const details = apart(
    boxes.map(({ detail }) => printable(detail, LONGEST)),
    { letters: Math.floor(wide / PER_SMALL_LETTER), lines: 1 },
  )
  return boxes.map((box, index) => {
    const [label = [], detail = []] = [labels[index], box.detail === '' ? [] : details[index]]
    return { box, label, detail, height: LOWEST + LINE * Math.max(0, label.length + detail.length - 2) }
  })
}

function curve(from: Column, y1: number, to: Column, y2: number, isNew: boolean): string {
  const x1 = COLUMNS[from][0] + COLUMNS[from][1]
  const x2 = COLUMNS[to][0]
  const bend = (x2 - x1) / 2
  return `<path${isNew ? ' class="fresh"' : ''} d="M${x1} ${round(y1)}C${x1 + bend} ${round(y1)} ${x2 - bend} ${round(y2)} ${x2} ${round(y2)}"/>`
}

function boxSvg(column: Column, y: number, { box, label, detail, height }: Lined): string {
  const { isNew, isDangerous } = box
  const [x, wide] = COLUMNS[column]
  const top = round(y - height / 2)
  const kind = [isNew ? 'fresh' : '', isDangerous ? 'alarm' : ''].filter(Boolean).join(' ')
  // New boxes have round corners too: colour alone tells some readers nothing.
  const corner = isNew ? 14 : 3
  const [first = '', ...more] = label
  const texts = [
    ...[`${isNew ? '+ ' : ''}${first}`, ...more].map(text => ({ text, is: '' })),
    ...detail.map(text => ({ text, is: ' class="small"' })),
  ]
  const start = texts.length === 1 ? top + 22 : top + 16
  return [
    `<g${kind === '' ? '' : ` class="${kind}"`}><title>${escaped(box.label, LONGEST)}</title>`,
    `<rect x="${x + 1}" y="${top}" width="${wide - 2}" height="${height}" rx="${corner}"/>`,
    ...texts.map(
      ({ text, is }, index) =>
        `<text${is} x="${x + 9}" y="${round(start + index * LINE - (is === '' ? 0 : 1))}">${escaped(text)}</text>`,
    ),
    '</g>',
  ].join('')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
