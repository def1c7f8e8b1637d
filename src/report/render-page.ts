// A page → text for a terminal, in the same order as the other formats.
import { noticeLines } from '../cli/render/notice.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { wrap } from '../cli/render/wrap.ts'
import { printable } from '../format/text/printable.ts'
import { verdictWord } from '../verify/render.ts'
import type { Emphasis, Item, Page, Part, Section } from './page.ts'
import { shortenPage } from './shorten.ts'

const MOST = { items: 2000, list: 500, below: 20 }
/** More lines below one would hide the next. */
const FEW = 3

export function renderPage(given: Page, style: Style, columns: number): string {
  const page = shortenPage(given, MOST)
  const { notice, title, target, verdict, decided, hint, facts } = page
  const text = (words: readonly Part[], indent: string) => wrapped(plain(words), indent, columns)
  const isGood = verdict === 'trusted'
  const lines = [
    ...noticeLines(notice, style, columns),
    `${verdict === 'source' ? style.dim(verdict) : verdictWord(verdict, style)}  ${printable(target)}`,
    ...(title === target ? [] : [`  ${style.bold(printable(title))}`]),
    ...(decided === undefined
      ? []
      : marked(isGood ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad), text(decided, '    '))),
    ...(hint === undefined || isGood ? [] : marked(style.cyan('hint:'), text([{ text: hint }], '        '))),
    ...facts.flatMap(words => text(words, '  ').map(line => style.dim(`  ${line}`))),
    ...page.sections.flatMap(section => sectionLines(section, style, columns)),
  ]
  return `${lines.join('\n')}\n`
}

function sectionLines({ title, note, items }: Section, style: Style, columns: number): string[] {
  return [
    '',
    style.bold(printable(title)),
    ...(note === undefined ? [] : wrapped(plain(note), '  ', columns).map(line => style.dim(`  ${line}`))),
    ...items.flatMap(item => itemLines(item, '  ', style, columns)),
  ]
}

function itemLines(
  { mark, words, more = [], isOpen }: Item,
  indent: string,
  style: Style,
  columns: number,
): string[] {
  const sign = mark === undefined ? '-' : signOf(mark, style)
  const [first = '', ...rest] = wrapped(plain(words), `${indent}  `, columns)
  const below = isOpen || more.length <= FEW ? more : []
  return [
    `${indent}${sign} ${mark === 'gone' ? style.dim(first) : first}`,
    ...rest.map(line => `${indent}  ${line}`),
    ...below.flatMap(item => belowLines(item, `${indent}    `, style, columns)),
  ]
}

/** Without a sign of its own unless something is wrong with it. */
function belowLines({ mark, words }: Item, indent: string, style: Style, columns: number): string[] {
  const sign = mark === undefined ? '' : `${signOf(mark, style)} `
  const lines = wrapped(plain(words), `${indent}${mark === undefined ? '' : '  '}`, columns)
  return lines.map((line, index) => `${indent}${index === 0 ? sign : mark === undefined ? '' : '  '}${line}`)
}

function signOf(mark: Emphasis, style: Style): string {
  const paint: Readonly<Record<Emphasis, string>> = {
    new: style.yellow('+'),
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
