// A picture → SVG: three columns of boxes, and lines between them.
import { printable } from '../../format/text/printable.ts'
import { escaped } from './html-text.ts'
import type { Box, Picture } from './page.ts'

const ROW = 46
const HEIGHT = 36
const WIDTH = 900
/** Left edge and width of each column. */
const COLUMNS = { agent: [0, 170], groups: [260, 230], reached: [590, 310] } as const
/** Letters of the text in a box of a given width. */
const PER_LETTER = 7.9

type Column = keyof typeof COLUMNS

/** With a title and a description for those who do not see it. */
export function svgOf({ agent, groups, reached, lines }: Picture): string {
  const rows = Math.max(groups.length, reached.length, 1)
  const height = rows * ROW + 4
  const middle = (index: number, count: number) => (height / count) * (index + 0.5)
  const at = {
    groups: (index: number) => middle(index, groups.length),
    reached: (index: number) => middle(index, reached.length),
  }
  const root: Box = { label: agent, detail: 'the agent', isNew: false }
  const drawn = [
    ...groups.map((_, index) => curve('agent', height / 2, 'groups', at.groups(index), false)),
    ...lines.map(({ from, to, isNew }) => curve('groups', at.groups(from), 'reached', at.reached(to), isNew)),
    box('agent', height / 2, root, ''),
    ...groups.map((node, index) => box('groups', at.groups(index), node, '')),
    ...reached.map((node, index) => box('reached', at.reached(index), node, node.isDangerous ? 'alarm' : '')),
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

function curve(from: Column, y1: number, to: Column, y2: number, isNew: boolean): string {
  const x1 = COLUMNS[from][0] + COLUMNS[from][1]
  const x2 = COLUMNS[to][0]
  const bend = (x2 - x1) / 2
  return `<path${isNew ? ' class="fresh"' : ''} d="M${x1} ${round(y1)}C${x1 + bend} ${round(y1)} ${x2 - bend} ${round(y2)} ${x2} ${round(y2)}"/>`
}

function box(column: Column, y: number, { label, detail, isNew }: Box, alarm: string): string {
  const [x, wide] = COLUMNS[column]
  const top = round(y - HEIGHT / 2)
  const letters = Math.floor((wide - 16) / PER_LETTER)
  const kind = [isNew ? 'fresh' : '', alarm].filter(Boolean).join(' ')
  // New boxes have round corners too: colour alone tells some readers nothing.
  const corner = isNew ? 14 : 3
  const first = `${isNew ? '+ ' : ''}${cut(printable(label, 200), letters - (isNew ? 2 : 0))}`
  const second = detail === '' ? '' : cut(printable(detail, 200), Math.floor(letters * 1.15))
  const line = detail === '' ? top + 22 : top + 16
  return [
    `<g${kind === '' ? '' : ` class="${kind}"`}><title>${escaped(label)}</title>`,
    `<rect x="${x + 1}" y="${top}" width="${wide - 2}" height="${HEIGHT}" rx="${corner}"/>`,
    `<text x="${x + 9}" y="${line}">${escaped(first)}</text>`,
    ...(second === '' ? [] : [`<text class="small" x="${x + 9}" y="${top + 30}">${escaped(second)}</text>`]),
    '</g>',
  ].join('')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** The start of a text that fits: letters of East Asian scripts and emoji are about twice as wide as the others. */
function cut(text: string, letters: number): string {
  let used = 0
  let shown = ''
  for (const character of text) {
    used += (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2
    if (used > letters) return `${shown}…`
    shown += character
  }
  return shown
}
