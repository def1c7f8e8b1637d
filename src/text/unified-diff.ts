// Writes the unified diff of a file before and after a change, for people to read. Credentials are masked in it, because logs and answers of
// programs keep it.
import type { Finding } from '../model/finding.ts'
import { credentialTexts, veiledLine } from '../secret/veil.ts'
import { printable } from './printable.ts'

const AROUND = 3
/** The longest text that is compared line by line; a fix of a larger file rarely changes both its ends. */
const MOST_TEXT = 1024 * 1024
const MOST_LINES = 500

/** Below the folder that `label` names. */
export interface ChangedFile {
  readonly path: string
  /** Undefined if there was none. */
  readonly before: Uint8Array | undefined
  readonly text: string
}

/**
 * Lines without newlines. Texts are made printable, so that people can see the change; the diff is not for `patch`.
 * @param findings about the new text: what they call a credential is not shown on either side
 */
export function diffLines(
  label: string,
  { path, before, text }: ChangedFile,
  findings: readonly Finding[] = [],
): string[] {
  const name = printable(label === '.' ? path : `${label}/${path}`)
  const old = before === undefined ? '' : new TextDecoder('utf-8', { ignoreBOM: true }).decode(before)
  const head = [`--- ${before === undefined ? '/dev/null' : name}`, `+++ ${name}`]
  const { start, oldEnd, nowEnd } = changed(old, text)
  if (oldEnd - start > MOST_TEXT || nowEnd - start > MOST_TEXT) return [...head, '… too large to show']
  const first = old.slice(0, start).split('\n').length
  const compared = compareLines(linesOf(old.slice(start, oldEnd)), linesOf(text.slice(start, nowEnd)))
  const credentials = credentialTexts(text, path, findings)
  const shown: string[] = []
  let left = 0
  for (const piece of hunks(compared, first)) {
    // Only counted, not made printable: there may be a million.
    if (shown.length >= MOST_LINES) left++
    else if (typeof piece === 'string') shown.push(piece)
    else shown.push(...render(piece, credentials))
  }
  return [...head, ...shown, ...(left > 0 ? [`… ${left} more lines`] : [])]
}

/**
 * The differences, as whole lines with a few around them. Equal lines at both ends are not compared: fixes are small, files need not be.
 */
function changed(old: string, now: string): { start: number; oldEnd: number; nowEnd: number } {
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old.charCodeAt(start) === now.charCodeAt(start)) start++
  let tail = 0
  while (
    tail < shorter - start &&
    old.charCodeAt(old.length - 1 - tail) === now.charCodeAt(now.length - 1 - tail)
  )
    tail++
  for (let lines = 0; lines <= AROUND && start > 0; lines++)
    start = start === 1 ? 0 : old.lastIndexOf('\n', start - 2) + 1
  for (let lines = 0; lines <= AROUND && tail > 0; lines++) {
    const newline = old.indexOf('\n', old.length - tail)
    tail = newline === -1 ? 0 : old.length - newline - 1
  }
  return { start, oldEnd: old.length - tail, nowEnd: now.length - tail }
}

/** @param first number of the first line in both texts */
function hunks(lines: readonly ComparedLine[], first: number): (string | ComparedLine)[] {
  const pieces: (string | ComparedLine)[] = []
  const near = new Uint8Array(lines.length)
  for (const [index, { sign }] of lines.entries()) {
    if (sign !== ' ') near.fill(1, Math.max(0, index - AROUND), index + AROUND + 1)
  }
  let old = first
  let now = first
  for (const [index, line] of lines.entries()) {
    const { sign } = line
    if (near[index] === 1) {
      if (near[index - 1] !== 1) {
        const end = near.indexOf(0, index)
        pieces.push(header(lines.slice(index, end === -1 ? undefined : end), old, now))
      }
      pieces.push(line)
    }
    if (sign !== '+') old++
    if (sign !== '-') now++
  }
  return pieces
}

function header(hunk: readonly ComparedLine[], old: number, now: number): string {
  const olds = hunk.filter(({ sign }) => sign !== '+').length
  const nows = hunk.filter(({ sign }) => sign !== '-').length
  return `@@ -${olds === 0 ? old - 1 : old},${olds} +${nows === 0 ? now - 1 : now},${nows} @@`
}

function render({ sign, text }: ComparedLine, credentials: readonly string[]): string[] {
  // Tabs and the carriage return of a Windows line end are shown as they look, everything else that hides as its code.
  const line = veiledLine(text, credentials)
    .replace(/\r?\n$|\r$/, '')
    .replaceAll('\t', ' ')
  const shown = `${sign}${printable(line)}`
  return text.endsWith('\n') ? [shown, '\\ No newline at end of file'] : [shown]
}

/** Cells of the table that compares lines; beyond it everything is shown as removed and added. */
const MOST_CELLS = 1_000_000

interface ComparedLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** A last line without a newline differs from the same line with one. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, `${last}\n`]
}

export function compareLines(old: readonly string[], now: readonly string[]): ComparedLine[] {
  if (old.length * now.length > MOST_CELLS)
    return [
      ...old.map(text => ({ sign: '-', text }) as const),
      ...now.map(text => ({ sign: '+', text }) as const),
    ]
  const wide = now.length + 1
  // Longest common subsequence of the lines from (i, j) on.
  const longest = new Uint32Array((old.length + 1) * wide)
  const at = (i: number, j: number) => longest[i * wide + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--)
      longest[i * wide + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  }
  const lines: ComparedLine[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ sign: ' ', text: old[i] ?? '' })
      i++
      j++
    } else if (i < old.length && (j === now.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: old[i++] ?? '' })
    } else lines.push({ sign: '+', text: now[j++] ?? '' })
  }
  return lines
}
