// Shows findings to people, each with the lines around its place. The lines are bounded: a minified file is one line of megabytes.
import { fit, width, wrap } from '../cli/render/layout.ts'
import type { Style } from '../cli/render/style.ts'
import type { Finding, OtherPlace, Severity } from '../model/finding.ts'
import { veiledFile } from '../secret/veil.ts'
import { printable } from '../text/printable.ts'
import type { Linted, LintedAgent } from './linted.ts'

/** More findings do not help on a screen; `--json` has all. */
const MOST = 100
/** The same for the other places of one finding. */
const MOST_OTHERS = 20

/** @param screen columns of the terminal that shows it, if one does */
export function renderFindings(
  { agent, findings }: Linted,
  style: Style,
  columns: number,
  screen = Number.POSITIVE_INFINITY,
): string {
  const texts = new Map<string, FramedText | undefined>()
  const textOf = (file: string) => {
    if (!texts.has(file)) texts.set(file, textIn(agent, file, findings))
    return texts.get(file)
  }
  const shown = findings
    .slice(0, MOST)
    .map(finding => renderFinding(agent, finding, textOf, style, { columns, screen }))
  if (findings.length > MOST) shown.push(`… and ${findings.length - MOST} more; --json lists all of them\n`)
  return shown.map(text => `${text}\n`).join('')
}

/** The text of a file that frames may show. */
function textIn(agent: LintedAgent, file: string, findings: readonly Finding[]): FramedText | undefined {
  const text = agent.documents.get(file)?.text ?? agent.unreadable.find(({ path }) => path === file)?.text
  return text === undefined ? undefined : framed(veiledFile(text, file, findings))
}

function renderFinding(
  agent: LintedAgent,
  finding: Finding,
  textOf: (file: string) => FramedText | undefined,
  style: Style,
  { columns, screen }: { readonly columns: number; readonly screen: number },
): string {
  const { file, line, column, others = [], message, fix, rule, suppressed } = finding
  const path = [agent.label === '.' ? '' : agent.label, file].filter(part => part !== '').join('/')
  const head = `${style.bold(printable(path))}:${line}:${column} ${kindOf(finding, style)} ${printable(message)} ${style.dim(rule)}`
  const text = finding.endLine === undefined ? undefined : textOf(file)
  const frame = text === undefined ? [] : codeFrame(text, finding, style, screen)
  const also = others.length === 0 ? [] : labelled('also:', othersText(others), style, columns)
  const advice =
    suppressed === undefined
      ? labelled('fix:', fix, style, columns)
      : labelled('suppressed:', suppressionOf(suppressed), style, columns)
  return [fit(head, screen), ...frame, ...also, ...advice].join('\n')
}

/** Each with its line and column in the file. */
function othersText(others: readonly OtherPlace[]): string {
  const shown = others.slice(0, MOST_OTHERS).map(({ name, line, column }) => `${name} ${line}:${column}`)
  const more = others.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more; --json lists all of them`] : [])].join(', ')
}

function labelled(label: string, text: string, style: Style, columns: number): string[] {
  const indent = label.length + 3
  return wrap(printable(text), Math.max(30, columns - indent)).map((part, index) =>
    index === 0 ? `  ${style.cyan(label)} ${part}` : `${' '.repeat(indent)}${part}`,
  )
}

/** The severity, and whether a setting changed it. */
function kindOf({ severity, defaultSeverity, suppressed }: Finding, style: Style): string {
  const word = suppressed === undefined ? paint(severity, style) : style.dim(severity)
  return defaultSeverity === undefined ? word : `${word} ${style.dim(`(${defaultSeverity} by itself)`)}`
}

function suppressionOf({ by, reason, until }: NonNullable<Finding['suppressed']>): string {
  if (by === 'flag') return `by the caller, ${reason}`
  return `${reason} (manifest.toml${until === undefined ? '' : `, until ${until}`})`
}

function paint(severity: Severity, style: Style): string {
  return severity === 'error'
    ? style.red('error')
    : severity === 'warning'
      ? style.yellow('warning')
      : style.cyan('info')
}

const AROUND = 1
const MOST_COLUMNS = 96
/** What is beside the number of a line. */
const BESIDE = '  >  │ '.length

interface Place {
  /** 1-based. */
  readonly line: number
  readonly column: number
  readonly endLine?: number
  readonly endColumn?: number
}

/** A text with the places where its lines begin: read once for all of its findings. */
interface FramedText {
  readonly text: string
  readonly starts: readonly number[]
}

function framed(text: string): FramedText {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return { text, starts }
}

/** The code frame of a finding, one string a line, indented by two spaces; empty when the text has no such line. */
function codeFrame(framed: FramedText, place: Place, style: Style, columns: number): string[] {
  const lines = linesAround(framed, place.line)
  const gutter = String(place.line + AROUND).length
  const most = Math.max(20, Math.min(MOST_COLUMNS, columns - gutter - BESIDE))
  return lines.flatMap(({ number, start, end: lineEnd }) => {
    // A tab is one column to an editor's count and eight to a terminal: shown as one, so that the mark is in the right place.
    const part = (from: number, to: number) =>
      framed.text.slice(start + from, Math.min(start + to, lineEnd)).replaceAll('\t', ' ')
    const isMarked = number === place.line
    const from = Math.max(0, isMarked ? place.column - 1 - Math.floor(most / 2) : 0)
    const cut = part(from, from + most)
    const head = `  ${isMarked ? '>' : ' '} ${String(number).padStart(gutter)} │ `
    const line = `${style.dim(head)}${printable(cut)}`.trimEnd()
    if (!isMarked) return [line]
    const before = width(printable(part(from, place.column - 1)))
    const end = place.endLine === place.line ? (place.endColumn ?? place.column) : lineEnd - start + 1
    const marked = part(place.column - 1, Math.min(Math.max(end - 1, place.column), from + most))
    const mark = '^'.repeat(Math.max(1, place.endLine === undefined ? 1 : width(printable(marked))))
    return [line, `${style.dim(`  ${' '.repeat(gutter + 2)} │ `)}${' '.repeat(before)}${style.red(mark)}`]
  })
}

/** The lines without what ends them; those beside the wanted one only if something is on them. */
function linesAround(
  { text, starts }: FramedText,
  wanted: number,
): { number: number; start: number; end: number }[] {
  const found: { number: number; start: number; end: number }[] = []
  for (let number = Math.max(1, wanted - AROUND); number <= wanted + AROUND; number++) {
    const start = starts[number - 1]
    if (start === undefined) break
    const newline = (starts[number] ?? text.length + 1) - 1
    const end = newline > start && text[newline - 1] === '\r' ? newline - 1 : newline
    if (number === wanted || /\S/.test(text.slice(start, end))) found.push({ number, start, end })
  }
  return found
}
