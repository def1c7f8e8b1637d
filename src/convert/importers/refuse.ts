// Errors that stop an import, in one form for all formats.
import { parseJson } from '../../json/parse.ts'
import type { ConversionChange } from '../../model/conversion.ts'
import { RlpError } from '../../model/error.ts'
import { isTable, own } from '../../model/own.ts'
import { lineColumn } from '../../text/decode.ts'
import { midSentence } from '../../text/words.ts'
import type { BadTool, Imported, ImportedTool, ImportSource } from './importer.ts'

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
  throw notConvertible(source, `${place}${midSentence(message)}`, 'Correct the file')
}

/** A member that is null counts as absent. */
export function memberOf(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return own(object, key) ?? undefined
}

type RefuseEntry = (seen: string) => Error

/** Reads one entry. @param refuse says why it cannot be imported, after its place @param at that place */
export type ReadTable = (
  entry: Readonly<Record<string, unknown>>,
  refuse: RefuseEntry,
  changes: ConversionChange[],
  at: string,
) => ImportedTool | readonly ImportedTool[]

/** As {@link readEach}, of a list of tables. @param place of the list */
export function readTables(
  list: readonly unknown[],
  source: ImportSource,
  place: string,
  read: ReadTable,
  changes: ConversionChange[] = [],
  nameOf = nameIn,
): Imported {
  const found = readEach(list, source, nameOf, (entry, index) => {
    const at = `${place}[${index}]`
    const refuse: RefuseEntry = seen => notConvertible(source, `${at}${seen}`)
    if (!isTable(entry)) throw refuse(' is no object')
    return read(entry, refuse, changes, at)
  })
  return { ...found, changes }
}

/** The name of a tool, and its description if it has one. */
export function namedEntry(entry: Readonly<Record<string, unknown>>, refuse: RefuseEntry) {
  const [name, description] = [memberOf(entry, 'name'), memberOf(entry, 'description')]
  if (typeof name !== 'string') throw refuse('.name is missing, or no text')
  if (description !== undefined && typeof description !== 'string') throw refuse('.description is no text')
  return { name, description }
}

/** Reads each tool of a list. One that cannot be imported does not stop the others. */
export function readEach<T>(
  list: readonly T[],
  source: ImportSource,
  nameOf: (entry: T) => unknown,
  read: (entry: T, index: number) => ImportedTool | readonly ImportedTool[],
): { readonly tools: readonly ImportedTool[]; readonly bad: readonly BadTool[] } {
  const tools: ImportedTool[] = []
  const bad: BadTool[] = []
  for (const [index, entry] of list.entries()) {
    const name = nameOf(entry)
    const found = orBad(source, typeof name === 'string' ? name : undefined, () => read(entry, index))
    if ('why' in found) bad.push(found)
    else tools.push(...[found.value].flat())
  }
  return { tools, bad }
}

/** @throws what is no reason of one tool */
export function orBad<T>(
  { label }: ImportSource,
  name: string | undefined,
  read: () => T,
): { readonly value: T } | BadTool {
  try {
    return { value: read() }
  } catch (error) {
    if (!(error instanceof RlpError) || error.code !== 'NOT_CONVERTIBLE') throw error
    const prefix = `Cannot import "${label}": `
    const { message, hint } = error
    return { name, why: message.startsWith(prefix) ? message.slice(prefix.length) : message, hint }
  }
}

/** The name of an entry that may be anything. */
export function nameIn(entry: unknown): unknown {
  return isTable(entry) ? own(entry, 'name') : undefined
}
