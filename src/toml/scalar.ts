// One scalar of the TOML syntax tree → its value, refused if JSON could not hold it.
import { type TomlDateType, TomlRefusal, type TomlScalar } from './node.ts'
import type { SyntaxScalar } from './syntax.ts'

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
export function toInstant(iso: string, type: TomlDateType): number {
  if (type === 'local-time') return Date.parse(`0000-01-01T${iso}Z`)
  return Date.parse(type === 'local-date-time' ? `${iso}Z` : iso)
}
