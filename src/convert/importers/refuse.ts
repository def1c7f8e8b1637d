// Errors that stop an import, in one form for all formats.
import { parseJson } from '../../format/json/parse.ts'
import { lineColumn } from '../../format/text/decode.ts'
import { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import type { ImportSource } from './importer.ts'

export function notConvertible(
  { label }: Pick<ImportSource, 'label'>,
  seen: string,
  hint?: string,
): RlpError {
  return new RlpError('NOT_CONVERTIBLE', `Cannot import "${label}": ${seen}`, { hint })
}

/** Strict, as tools.json will be read: text that two readers could understand differently is refused. */
export function strictJson(source: ImportSource): unknown {
  const parsed = parseJson(source.label, source.bytes)
  if (parsed.ok) return parsed.document.value
  const { problem, text } = parsed
  const { message, offset } = problem
  const at = text === undefined || offset === undefined ? undefined : lineColumn(text, offset)
  const place = at === undefined ? '' : `${at.line}:${at.column}: `
  throw notConvertible(
    source,
    `${place}${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    'Correct the file',
  )
}

/** A member that is null counts as absent. */
export function memberOf(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return own(object, key) ?? undefined
}
