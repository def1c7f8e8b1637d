// Lays out text for a terminal, measured in its columns, and keeps lines from being commands to the runner of a pipeline. A terminal
// breaks a line inside of words, digests and paths: lines are broken at spaces here, and continued with an indent of two.

import stringWidth from 'fast-string-width'
import { printable } from '../../text/printable.ts'

/** Printable ASCII and the signs of ours: one column each. */
const PLAIN = /^[ -~\u2713\u2717\u2192\u2026]*$/

/** Columns of `text`; colour codes take none. */
export function width(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text)
}

/** `text` followed by spaces up to `columns`. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)))
}

/** A stranger's text made printable, so without colour codes, and cut to at most `columns`. */
export function cut(stranger: string, columns: number): string {
  const text = printable(stranger)
  if (width(text) <= columns) return text
  let shown = ''
  let used = 0
  // By visible characters: half an emoji has a width of its own.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += width(segment)
    if (used > columns - 1) break
    shown += segment
  }
  return `${shown.trimEnd()}…`
}

/** Lines of at most `columns`, broken at spaces. A longer word stays whole, so that paths and commands can be copied. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const wide = width(word)
    if (used > 0 && used + 1 + wide > columns) {
      lines.push(line)
      line = ''
      used = 0
    }
    line += used === 0 ? word : ` ${word}`
    used += used === 0 ? wide : wide + 1
  }
  if (used > 0) lines.push(line)
  return lines
}

/** Less room beside a label, and its text goes below it. */
const LEAST_BESIDE = 28
const BELOW = 4

/** A label of `at` columns, with a text beside it where there is room for one. Colour codes in the label take no columns. */
export function beside(label: string, text: string, at: number, columns: number): string[] {
  if (columns - at < LEAST_BESIDE) {
    const lines = wrap(text, columns - BELOW).map(line => ' '.repeat(BELOW) + line)
    return label.trim() === '' ? lines : [label.trimEnd(), ...lines]
  }
  const [first = '', ...rest] = wrap(text, columns - at)
  return [label + first, ...rest.map(line => ' '.repeat(at) + line)]
}

/** Narrower, and every word would be alone. */
const NARROWEST = 20

export function fit(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap(line => (width(line) <= columns ? [line] : broken(line, Math.max(columns, NARROWEST))))
    .join('\n')
}

function broken(line: string, columns: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? ''
  if (/^ +rlp /.test(line)) return brokenCommand(line, columns)
  const lines: string[] = []
  let shown = indent
  // Spaces inside of a line align it: those that are not at a break stay.
  for (const part of line.slice(indent.length).split(/(?<=[^ ])(?= )/)) {
    const word = part.trimStart()
    if (word === '') continue
    const gap = part.slice(0, part.length - word.length)
    const isFirst = shown.trim() === ''
    if (!isFirst && width(`${shown}${gap}${word}`) > columns) {
      lines.push(shown)
      shown = `${indent}  ${word}`
    } else shown += gap + word
  }
  return [...lines, shown]
}

/** A command of its own line still is one when it is pasted. */
export function brokenCommand(line: string, columns: number): string[] {
  if (width(line) <= columns) return [line]
  const indent = /^ */.exec(line)?.[0] ?? ''
  const end = ' \\'
  const lines: string[] = []
  let shown = indent
  // What is quoted stays together, because a backslash in it would be text.
  for (const word of line.match(/(?:'[^']*'|"[^"]*"|\\.|[^ ])+/g) ?? []) {
    const isFirst = shown.trim() === ''
    if (!isFirst && width(`${shown} ${word}${end}`) > columns) {
      lines.push(shown + end)
      shown = `${indent}  ${word}`
    } else shown += isFirst ? word : ` ${word}`
  }
  return [...lines, shown]
}

/** `##[…]` (GitHub, Azure), `##vso[…]` and `##teamcity[…]`: commands anywhere on a line. */
const ANYWHERE = /##(?=(?:vso|teamcity)?\[)/gi
/** `::name …::` (GitHub): a command at the start of a line, after white space. Colour codes count as white space. */
const AT_START = /^((?:[^\S\n\r\u2028\u2029]|\u001b\[[0-9;]*m)*):(?=:)/gm

/**
 * Takes the whole text, not its pieces: wrapping moves a word to the start of a line, and two harmless pieces can make one command. The
 * first character of a command is written as `\u0023` or `\u003a`, which in JSON means the same.
 */
export function inert(text: string): string {
  if (!text.includes('##') && !text.includes('::')) return text
  return text.replace(ANYWHERE, '\\u0023#').replace(AT_START, '$1\\u003a')
}
