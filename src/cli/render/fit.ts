// Text for people → the same with no line wider than their terminal, as far as spaces allow: a terminal breaks inside of words, digests and
// paths. Where a line goes on, it is indented by two more.
import { width } from './wrap.ts'

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
