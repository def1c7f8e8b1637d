// Turns TOML text and its tree into ordinary values. Two parsers must agree on them, and JSON must be able to hold each.
import { parse, TomlDate, TomlError } from 'smol-toml'
import type { Pointer, TextProblem } from '../model/document.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { own } from '../model/own.ts'
import { type TomlDateType, type TomlNode, TomlRefusal, type TomlScalar, type TomlTree } from './node.ts'
import type { SyntaxScalar } from './syntax.ts'

type Agreed =
  | { readonly ok: true; readonly value: unknown; readonly dates: readonly Pointer[] }
  | { readonly ok: false; readonly problem: TextProblem }

/** Plain objects and arrays; dates as ISO text. The tree's bounded depth bounds the recursion. */
export function agreedTomlValue(text: string, tree: TomlTree): Agreed {
  const first = parseFirst(text)
  if ('problem' in first) return { ok: false, problem: first.problem }
  try {
    const reading = new Agreement(text)
    const value = reading.of(tree.root, first.value)
    return { ok: true, value, dates: reading.dates }
  } catch (error) {
    if (error instanceof TomlRefusal) return { ok: false, problem: error.problem }
    throw error
  }
}

function parseFirst(text: string): { readonly value: unknown } | { readonly problem: TextProblem } {
  try {
    return { value: parse(text, { maxDepth: PARSE_LIMITS.tomlDepth, unsafeKeyBehaviour: 'throw' }) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [message = ''] = error.message.split('\n', 1)
    return { problem: { code: 'syntax', message, offset: offsetOf(text, error.line, error.column) } }
  }
}

/** The parser counts lines by `\n` and columns in UTF-16 code units, both from 1. */
function offsetOf(text: string, line: number, column: number): number {
  let start = 0
  for (let passed = 1; passed < line; passed++) start = text.indexOf('\n', start) + 1
  return Math.min(start + column - 1, text.length)
}

class Agreement {
  readonly dates: Pointer[] = []
  readonly #text: string
  /** Where the value is that is read. */
  readonly #at: (string | number)[] = []

  constructor(text: string) {
    this.#text = text
  }

  of(node: TomlNode, other: unknown): unknown {
    const text = this.#text
    if (node.kind === 'scalar') {
      if (!isSameScalar(node, other)) throw disagreement(text, node)
      if (isDate(node)) this.dates.push([...this.#at])
      return node.value
    }
    if (node.kind === 'array') {
      if (!Array.isArray(other) || other.length !== node.items.length) throw disagreement(text, node)
      return node.items.map((item, index) => this.#below(index, item, other[index]))
    }
    if (typeof other !== 'object' || other === null || Array.isArray(other) || other instanceof TomlDate)
      throw disagreement(text, node)
    const theirs = other as Readonly<Record<string, unknown>>
    if (Object.keys(theirs).length !== node.entries.size) throw disagreement(text, node)
    const table: Record<string, unknown> = {}
    for (const [name, entry] of node.entries) {
      if (!Object.hasOwn(theirs, name)) throw disagreement(text, node)
      table[name] = this.#below(name, entry.node, own(theirs, name))
    }
    return table
  }

  #below(step: string | number, node: TomlNode, other: unknown): unknown {
    this.#at.push(step)
    const value = this.of(node, other)
    this.#at.pop()
    return value
  }
}

function isDate({ type }: TomlScalar): boolean {
  return type.endsWith('date') || type.endsWith('time')
}

function isSameScalar(node: TomlScalar, other: unknown): boolean {
  const { type, value } = node
  if (type === 'string' || type === 'boolean' || type === 'integer' || type === 'float')
    return value === other
  if (!(other instanceof TomlDate)) return false
  const theirs = other.isDate()
    ? 'local-date'
    : other.isTime()
      ? 'local-time'
      : other.isLocal()
        ? 'local-date-time'
        : 'offset-date-time'
  return theirs === type && other.getTime() === toInstant(String(value), type)
}

function disagreement(text: string, node: TomlNode): TomlRefusal {
  const offset = node.range.start
  const multiline = node.kind === 'scalar' && node.multiline
  if (multiline && text.slice(node.range.start, node.range.end).includes('\r\n')) {
    const message = 'The line ends of this string are not read alike everywhere: write them as LF or as \\n'
    return new TomlRefusal({ code: 'unsafe-value', message, offset })
  }
  return new TomlRefusal({ code: 'syntax', message: 'Two TOML readers do not agree on this value', offset })
}

/** Throws `TomlRefusal` (`unsafe-value`) for integers beyond 2^53-1, `inf`, `nan`, dates and times that do not exist, and the year 0000, which many readers of dates do not have. */
export function readTomlScalar(node: SyntaxScalar): TomlScalar {
  switch (node.kind) {
    case 'string':
      return scalar(node, 'string', node.value, node.style === 'literal', node.multiline)
    case 'boolean':
      return scalar(node, 'boolean', node.value)
    case 'integer':
      if (!Number.isSafeInteger(node.value))
        throw refusal(node, 'An integer beyond 2^53-1 is not read alike everywhere')
      return scalar(node, 'integer', node.value + 0) // JSON text would lose a minus sign of zero
    case 'float':
      if (!Number.isFinite(node.value)) throw refusal(node, 'The number is infinite or no number')
      return scalar(node, 'float', node.value + 0)
    default: {
      const value = toIsoText(node.datetime)
      if (Number.isNaN(toInstant(value, node.kind))) throw refusal(node, 'There is no such date or time')
      if (value.startsWith('0000-')) throw refusal(node, 'The year 0000 is not read alike everywhere')
      return scalar(node, node.kind, value)
    }
  }
}

function scalar(
  { range: [start, end] }: SyntaxScalar,
  type: TomlScalar['type'],
  value: TomlScalar['value'],
  literal = false,
  multiline = false,
): TomlScalar {
  return { kind: 'scalar', range: { start, end }, type, value, literal, multiline } as TomlScalar
}

function refusal({ range: [offset] }: SyntaxScalar, message: string): TomlRefusal {
  return new TomlRefusal({ code: 'unsafe-value', message, offset })
}

/** `1979-05-27 07:32:00z` → `1979-05-27T07:32:00Z`. */
function toIsoText(text: string): string {
  return text.replace(/^(.{10})[ t]/, '$1T').replace('z', 'Z')
}

/**
 * Milliseconds since 1970, local dates and times taken as UTC and times as those of the first day of year 0; NaN if there is no such
 * moment.
 */
function toInstant(iso: string, type: TomlDateType): number {
  if (type === 'local-time') return Date.parse(`0000-01-01T${iso}Z`)
  return Date.parse(type === 'local-date-time' ? `${iso}Z` : iso)
}
