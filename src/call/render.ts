// The envelope of a call → text for people.
import type { Style } from '../cli/render/style.ts'
import type { Failure } from '../contract/envelope.ts'
import { own } from '../model/own.ts'
import { printable, printableJson, quoted } from '../text/printable.ts'

const TOOL_SAYS = 'tool │'
/** A little more than is kept of an answer, as characters that are not seen are longer when they are written. */
const MAX_ANSWERED = 2000

/** A tool's answer: a text line by line, anything else as JSON. */
export function resultText(result: unknown): string {
  const text = onlyText(result)
  if (text === undefined)
    return `${JSON.stringify(result, null, 2).split('\n').map(printableJson).join('\n')}\n`
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  // Tabs are kept for tables; every other control character is removed.
  return `${lines
    .map(line =>
      line
        .split('\t')
        .map(part => printable(part, Number.POSITIVE_INFINITY))
        .join('\t'),
    )
    .join('\n')}\n`
}

function onlyText(result: unknown): string | undefined {
  if (typeof result === 'string') return result
  if (typeof result !== 'object' || result === null || Object.keys(result).join() !== 'text') return undefined
  const text: unknown = Reflect.get(result, 'text')
  return typeof text === 'string' ? text : undefined
}

/** The lines for standard error. */
export function failureText(failure: Failure, style: Style): string {
  const { kind, message, field, expected, retryable, hint, tool } = failure
  // The tool’s own words, marked as such.
  const answered = own(failure, 'answered')
  const facts: readonly (readonly [string, unknown])[] = [
    ['field', field],
    ['expected', expected],
    ['hint', hint],
  ]
  // The sentence of the contract is for a model in a session.
  const said =
    kind === 'tool_not_found' ? `There is no tool ${quoted(tool ?? '')} that may be called` : message.trim()
  const [first = '', ...more] = said.split(/\r?\n/)
  // The same call with the same arguments is refused again: a model may send others. A program that failed has said why.
  const again =
    retryable && kind !== 'invalid_args' && kind !== 'execution_error'
      ? style.dim(' (trying again may help)')
      : ''
  const lines = [
    `${style.red(style.bold(kind))}: ${printable(first)}${again}`,
    ...more.map(line => `  ${printable(line)}`),
    ...(typeof answered === 'string' ? [`${style.dim(TOOL_SAYS)} ${printable(answered, MAX_ANSWERED)}`] : []),
    ...facts.flatMap(([label, value]) =>
      typeof value === 'string' ? [`${style.cyan(`${label}:`)} ${printable(value)}`] : [],
    ),
  ]
  return `${lines.join('\n')}\n`
}

export function warningText(warning: string, style: Style): string {
  return `${style.yellow('warning:')} ${printable(warning)}\n`
}

/** Lines of a tool, marked apart from those of rlp. */
export function quotedText(lines: string, style: Style): string {
  return lines.replace(/^(?=.)/gm, `${style.dim(TOOL_SAYS)} `)
}

/** A program's standard error, marked apart from the output of rlp. */
export function remarksText(remarks: string, style: Style): string {
  const lines = remarks.replace(/\r?\n$/, '').split(/\r?\n/)
  return lines.map(line => `${style.dim('stderr │')} ${printable(line)}\n`).join('')
}
