// Writes a page as one HTML file with its picture: no script, no request, and every text of the bundle a text node (docs/reports.md). In
// the picture a text that does not fit is shortened in the middle, and two different texts never look alike.
import { createHash } from 'node:crypto'
import { own } from '../../model/own.ts'
import { printable } from '../../text/printable.ts'
import {
  type Box,
  type Emphasis,
  type Item,
  type Page,
  type Part,
  type Picture,
  type Section,
  shortenPage,
} from './page.ts'

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--line:#d0d7de;--box:#f6f8fa;--new:#6639ba;--new-box:#f3ecff;
--bad:#b3161b;--bad-box:#fdecea;--good:#116329;--warn:#7d4e00;--warn-box:#fff4d6}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--paper:#0d1117;--line:#3d444d;--box:#161b22;--new:#cdb4ff;
--new-box:#2a1f45;--bad:#ff9a92;--bad-box:#3b1513;--good:#7ee2a0;--warn:#f0c35a;--warn-box:#332605}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem;margin:.5rem 0 0;overflow-wrap:anywhere}
h2{font-size:1.125rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
p{margin:.25rem 0}
code{font:.875em/1.4 ui-monospace,monospace;background:var(--box);border-radius:.25rem;padding:.05em .3em;overflow-wrap:anywhere}
ul{list-style:none;margin:0;padding:0}
li{padding:.3rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
li li{border:0;padding:.15rem 0 .15rem 1.25rem}
summary{cursor:pointer}
.soft{color:var(--soft)}
.verdict{border:2px solid;border-left-width:.75rem;border-radius:.25rem;padding:.75rem 1rem;margin:1rem 0}
.verdict strong{font-size:1.25rem}
.is-good{border-color:var(--good)}.is-bad{border-color:var(--bad);background:var(--bad-box)}
.is-unclear{border-color:var(--warn);background:var(--warn-box)}
.mark{display:inline-block;font-size:.75rem;font-weight:700;line-height:1.3;border:1px solid;border-radius:.25rem;padding:0 .35em;margin-right:.4em}
.new{color:var(--new);background:var(--new-box);border-style:dashed;border-width:2px}.gone{color:var(--soft);text-decoration:line-through}
.danger,.bad{color:var(--bad);background:var(--bad-box)}.warning{color:var(--warn);background:var(--warn-box)}.good{color:var(--good)}
figure{margin:1rem 0}
.wide{overflow-x:auto}
.narrow{display:none;color:var(--soft);font-size:.875rem}
svg{display:block;min-width:44rem;width:100%;height:auto}
/* Where the picture is cut off its edge fades; the room at its end keeps the last boxes out of the fade. */
@media screen and (max-width:46rem){.narrow{display:block}.wide{mask-image:linear-gradient(to right,#000 calc(100% - 3rem),#0000)}
svg{min-width:47rem;padding-right:3rem}}
svg text{fill:var(--ink);font:13px system-ui,sans-serif}svg .small{fill:var(--soft);font-size:11px}
svg rect{fill:var(--box);stroke:var(--soft)}svg path{fill:none;stroke:var(--soft)}
svg .alarm rect{fill:var(--bad-box);stroke:var(--bad);stroke-width:2}
svg .fresh rect{fill:var(--new-box);stroke:var(--new);stroke-width:2.5;stroke-dasharray:6 3}
svg .fresh.alarm rect{fill:var(--bad-box);stroke:var(--bad)}
svg path.fresh{stroke:var(--new);stroke-width:2.5;stroke-dasharray:6 3}
figcaption{color:var(--soft);font-size:.875rem}
@media print{main{max-width:none;padding:0}details::details-content{content-visibility:visible;block-size:auto}li{break-inside:avoid}svg{min-width:0}}
`.trim()

/** Lists that are longer help no one to decide, and keep the file from a size that a browser shows. */
const MOST = { items: 4000, list: 500, below: 500 }

const TONE: Readonly<Record<string, string>> = {
  trusted: 'good',
  unsigned: 'unclear',
  indeterminate: 'unclear',
  source: 'unclear',
}

export function htmlOf(given: Page): string {
  const page = shortenPage(given, MOST)
  const { title, verdict, decided, hint, facts, made, target } = page
  const tone = own(TONE, verdict) ?? 'bad'
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escaped(verdict)}: ${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1><bdi>${escaped(title)}</bdi></h1>`,
    `<p class="soft"><bdi>${escaped(target)}</bdi></p>`,
    `<div class="verdict is-${tone}"><p><strong>${escaped(verdict)}</strong> <span>${wordsHtml(decided)}</span></p>`,
    ...(hint === undefined ? [] : [`<p>What to do: ${escaped(hint, 1000)}</p>`]),
    '</div>',
    ...[...facts, ...made].map(words => `<p class="soft">${wordsHtml(words)}</p>`),
    ...page.sections.flatMap(section => [
      ...sectionHtml(section),
      ...(section.id === 'may' && page.picture ? figure(svgOf(page.picture())) : []),
    ]),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/** The style sheet is allowed by its own digest, so a style that a text smuggled in would not apply. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function figure(svg: string): string[] {
  return [
    '<figure>',
    '<p class="narrow">This picture is wider than the page: move it sideways to see the rest.</p>',
    '<div class="wide" tabindex="0" role="region" aria-label="Picture of what it reaches">',
    svg,
    '</div>',
    '<figcaption>The list above says the same in words. New: dashed, with round corners and a plus sign. Red: look here first.</figcaption>',
    '</figure>',
  ]
}

function sectionHtml({ id, title, note, items }: Section): string[] {
  return [
    `<section aria-labelledby="${id}">`,
    `<h2 id="${id}">${escaped(title)}</h2>`,
    ...(note === undefined ? [] : [`<p>${wordsHtml(note)}</p>`]),
    ...list(items),
    '</section>',
  ]
}

function list(items: readonly Item[]): string[] {
  return items.length === 0 ? [] : ['<ul>', ...items.map(itemHtml), '</ul>']
}

function itemHtml({ isNew, mark, words, more }: Item): string {
  const line = [
    isNew ? markHtml('new') : '',
    mark === undefined ? '' : markHtml(mark),
    wordsHtml(words),
  ].join('')
  if (more === undefined || more.length === 0) return `<li>${line}</li>`
  return `<li><details><summary>${line}</summary>${list(more).join('\n')}</details></li>`
}

const WORD: Readonly<Record<Emphasis | 'new', string>> = {
  new: 'new',
  gone: 'gone',
  danger: 'look here',
  warning: 'note',
  good: 'ok',
  bad: 'no',
}

function markHtml(mark: keyof typeof WORD): string {
  return `<span class="mark ${mark}">${WORD[mark]}</span> `
}

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
const LONGEST_IN_BOX = 5000

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
    boxes.map(({ label }) => printable(label, LONGEST_IN_BOX)),
    { letters, lines: 2 },
  )
  const details = apart(
    boxes.map(({ detail }) => printable(detail, LONGEST_IN_BOX)),
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
    `<g${kind === '' ? '' : ` class="${kind}"`}><title>${escaped(box.label, LONGEST_IN_BOX)}</title>`,
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

interface BoxRoom {
  /** Of a line. Letters of East Asian scripts and emoji count as two. */
  readonly letters: number
  /** How many lines a text may have. It gets more only where it would look like another one. */
  readonly lines: number
}

/** Returns the lines of each text. */
export function apart(texts: readonly string[], { letters, lines }: BoxRoom): readonly (readonly string[])[] {
  const split = texts.map(text => firstAndRest(text, letters, lines))
  const rests = restsApart(
    split.map(({ rest }) => rest),
    letters * Math.max(1, lines - 1),
  )
  return split.map(({ first, rest }) => [...first, ...broken(rests.get(rest) ?? [], letters)])
}

/** A text that does not fit has a first line, which is not shortened. */
function firstAndRest(text: string, letters: number, lines: number) {
  const characters = [...text]
  if (lines === 1 || widthOf(characters) <= letters) return { first: [], rest: text }
  const begin = firstLine(characters, letters)
  return {
    first: [characters.slice(0, begin).join('').trimEnd()],
    rest: characters.slice(begin).join(''),
  }
}

/** Each text with its characters that are shown: for two different texts never the same. */
function restsApart(texts: readonly string[], room: number): ReadonlyMap<string, readonly string[]> {
  const all = [...new Set(texts)]
  const marks = new Map<string, number[]>()
  const shown = new Map(all.map(text => [text, shortened([...text], room, [])]))
  for (let alike = groupsAlike(shown); alike.length > 0; alike = groupsAlike(shown)) {
    for (const group of alike) {
      const mark = firstDifference(group)
      for (const text of group) {
        const own = marks.get(text) ?? []
        // A text can have the sign of what is left out in itself: then all of it is shown.
        const isSeen = own.includes(mark)
        marks.set(text, [...own, mark])
        shown.set(text, isSeen ? [...text] : shortened([...text], room, [...own, mark]))
      }
    }
  }
  return shown
}

function groupsAlike(shown: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>()
  for (const [text, characters] of shown) {
    const key = characters.join('')
    const group = groups.get(key) ?? []
    groups.set(key, group)
    group.push(text)
  }
  return [...groups.values()].filter(group => group.length > 1)
}

/** The index of the first character in which some of them differ. */
function firstDifference(texts: readonly string[]): number {
  const [first = [], ...others] = texts.map(text => [...text])
  const at = first.findIndex((character, index) => others.some(other => other[index] !== character))
  return at === -1 ? first.length : at
}

/** How many characters fit: up to the last space, if there is one. */
function firstLine(characters: readonly string[], letters: number): number {
  const fits = fitting(characters, letters)
  const space = characters.slice(0, fits).lastIndexOf(' ')
  return space > 0 ? space + 1 : fits
}

/** The beginning, the end, and what is at each mark. */
function shortened(characters: readonly string[], room: number, marks: readonly number[]): readonly string[] {
  if (widthOf(characters) <= room) return characters
  const widest = characters.some(character => widthOf([character]) > 1) ? 2 : 1
  const parts = marks.length + 2
  const size = Math.max(4, Math.floor((room - parts + 1) / parts / widest))
  const starts = [0, ...marks.map(mark => mark - 1), characters.length - size]
  const isKept = (index: number) => starts.some(start => index >= start && index < start + size)
  return characters.flatMap((character, index) => {
    if (isKept(index)) return [character]
    return index === 0 || isKept(index - 1) ? ['…'] : []
  })
}

function broken(characters: readonly string[], letters: number): string[] {
  const lines: string[] = []
  for (let rest = characters; rest.length > 0; ) {
    const fits = Math.max(1, fitting(rest, letters))
    lines.push(rest.slice(0, fits).join(''))
    rest = rest.slice(fits)
  }
  return lines
}

function fitting(characters: readonly string[], letters: number): number {
  let used = 0
  const over = characters.findIndex(character => {
    used += widthOf([character])
    return used > letters
  })
  return over === -1 ? characters.length : over
}

function widthOf(characters: readonly string[]): number {
  return characters.reduce((sum, character) => {
    const isNarrow = character === '…' || (character.codePointAt(0) ?? 0) < 0x1100
    return sum + (isNarrow ? 1 : 2)
  }, 0)
}

/** A longer text does not help to decide; `--json` has all of it. */
const LONGEST_TEXT = 300

const ESCAPES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Text for an element or an attribute in double quotes, with nothing in it that is invisible or turns the reading direction. */
function escaped(text: string, max = LONGEST_TEXT): string {
  return printable(text, max).replace(/[&<>"']/g, character => ESCAPES.get(character) ?? '')
}

/** Words of ours as they are, a bundle's text set apart from them. */
function wordsHtml(words: readonly Part[]): string {
  return words
    .map(part => (typeof part === 'string' ? escaped(part) : `<code><bdi>${escaped(part.text)}</bdi></code>`))
    .join('')
}
