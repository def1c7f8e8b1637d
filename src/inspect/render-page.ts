// A page → text for a terminal, in the same order as the other formats.

import { wrap } from '../cli/render/layout.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import { verdictWord } from '../verify/render.ts'
import { type Emphasis, type Item, type Page, type Part, type Section, shortenPage } from './page/page.ts'

const MOST = { items: 2000, list: 500, below: 20 }
/** More lines below one would hide the next. */
const FEW = 3

export function renderPage(given: Page, style: Style, columns: number): string {
  const page = shortenPage(given, MOST)
  const { title, target, verdict, decided, hint, facts } = page
  const text = (words: readonly Part[], indent: string) => wrapped(plain(words), indent, columns)
  const isGood = verdict === 'trusted'
  const lines = [
    `${verdict === 'source' ? style.dim(verdict) : verdictWord(verdict, style)}  ${printable(target)}`,
    ...(title === target ? [] : [`  ${style.bold(printable(title))}`]),
    ...marked(decidedSign(verdict, style), text(decided, '    ')),
    ...(hint === undefined || isGood ? [] : marked(style.cyan('hint:'), text([{ text: hint }], '        '))),
    ...facts.flatMap(words => text(words, '  ').map(line => style.dim(`  ${line}`))),
    ...page.sections.flatMap(section => sectionLines(section, style, columns)),
  ]
  return `${lines.join('\n')}\n`
}

function decidedSign(verdict: Page['verdict'], style: Style): string {
  if (verdict === 'source') return style.dim('-')
  return verdict === 'trusted' ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
}

function sectionLines({ title, note, items }: Section, style: Style, columns: number): string[] {
  const wide = widthOf(items)
  return [
    '',
    style.bold(printable(title)),
    ...(note === undefined ? [] : wrapped(plain(note), '  ', columns).map(line => style.dim(`  ${line}`))),
    ...items.flatMap(item => itemLines(item, '  ', wide, style, columns)),
  ]
}

/** @param wide columns for the signs: the texts of a list begin in one column */
function itemLines(item: Item, indent: string, wide: number, style: Style, columns: number): string[] {
  const { mark, words, more = [], isOpen } = item
  const sign = widthIn(item) === 0 ? '-' : signsOf(item, style)
  const gap = ' '.repeat(wide - Math.max(1, widthIn(item)))
  const rest = ' '.repeat(wide + 1)
  const lines = wrapped(plain(words), `${indent}${rest}`, columns)
  const below = isOpen || more.length <= FEW ? more : []
  return [
    ...lines.map((line, at) => {
      const text = mark === 'gone' ? style.dim(line) : line
      return at === 0 ? `${indent}${sign}${gap} ${text}` : `${indent}${rest}${text}`
    }),
    ...below.flatMap(one => belowLines(one, `${indent}${rest}  `, style, columns)),
  ]
}

/** Without a sign of its own unless there is something to say of it. */
function belowLines(item: Item, indent: string, style: Style, columns: number): string[] {
  const wide = widthIn(item)
  const sign = wide === 0 ? '' : `${signsOf(item, style)} `
  const rest = wide === 0 ? '' : ' '.repeat(wide + 1)
  const lines = wrapped(plain(item.words), `${indent}${rest}`, columns)
  return lines.map((line, index) => `${indent}${index === 0 ? sign : rest}${line}`)
}

function widthOf(items: readonly Item[]): number {
  return items.reduce((most, item) => Math.max(most, widthIn(item)), 1)
}

function widthIn({ isNew, mark }: Item): number {
  return (isNew ? 1 : 0) + (mark === undefined ? 0 : 1)
}

function signsOf({ isNew, mark }: Item, style: Style): string {
  return `${isNew ? style.yellow('+') : ''}${mark === undefined ? '' : signOf(mark, style)}`
}

function signOf(mark: Emphasis, style: Style): string {
  const paint: Readonly<Record<Emphasis, string>> = {
    gone: style.dim('-'),
    danger: style.red('!'),
    warning: style.yellow('!'),
    good: style.green(SYMBOLS.ok),
    bad: style.red(SYMBOLS.bad),
  }
  return paint[mark]
}

function marked(sign: string, lines: readonly string[]): string[] {
  const [first = '', ...rest] = lines
  return [`  ${sign} ${first}`, ...rest.map(line => `    ${line}`)]
}

function plain(words: readonly Part[]): string {
  return words.map(part => (typeof part === 'string' ? part : printable(part.text, 300))).join('')
}

function wrapped(text: string, indent: string, columns: number): string[] {
  return wrap(text, Math.max(24, columns - indent.length))
}
