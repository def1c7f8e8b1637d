// TOML text + one change of a list of tables → the new text: a further table, or a value in one of them. What is there stays as it is
// written. `editToml` reaches no elements of arrays. The caller reads the result again and compares.
import { doubleQuoted } from '../text/double-quoted.ts'
import { TomlLines } from './lines.ts'
import { findTomlPlace, type TomlNode, type TomlTable } from './node.ts'
import { readTomlTree } from './parse.ts'
import { listLiteral, tableLiteral, writeTomlKey } from './write.ts'

/** Values as TOML text. */
type Literals = Readonly<Record<string, string | undefined>>

/**
 * Adds a table to the list at `path`. A table that is there alone becomes the first of a list.
 * @returns undefined if it is written in a way that this cannot extend
 */
export function appendTable(text: string, path: readonly string[], entries: Literals): string | undefined {
  const node = nodeAt(text, path)
  const last = node?.kind === 'array' ? node.items.at(-1) : node
  if (node === undefined || last?.kind !== 'table') return undefined
  const lines = new TomlLines(text)
  const { start, end } = last.range
  if (last.form === 'inline') {
    const added = tableLiteral(entries)
    if (node.kind === 'array') {
      const lead = /\n[ \t]*$/.exec(text.slice(0, start))?.[0] ?? ' '
      return insert(text, end, `,${lead}${added}`)
    }
    const { newline } = lines
    const deeper = `${newline}${lines.indentAt(start)}  `
    const list = `[${deeper}${text.slice(start, end)},${deeper}${added},${newline}${lines.indentAt(start)}]`
    return text.slice(0, start) + list + text.slice(end)
  }
  if (last.form !== 'header') return undefined
  const body = Object.entries(entries).flatMap(([key, value]) =>
    value === undefined ? [] : `${writeTomlKey([key])} = ${value}`,
  )
  const indent = lines.indentAt(start)
  const block = ['', `${indent}[[${writeTomlKey(path)}]]`, ...body.map(line => indent + line), ''].join(
    lines.newline,
  )
  const at = lines.nextLine(endOf(last))
  const extended = lines.restoreEnd(insert(lines.text, at, block))
  if (node.kind === 'array') return extended
  return `${extended.slice(0, start)}[${extended.slice(start, end)}]${extended.slice(end)}`
}

/** Adds texts to a list in one table of the list at `path`, or sets the whole value. */
export function changeInTable(
  text: string,
  path: readonly [...string[], number],
  key: string,
  change: { readonly append: readonly string[] } | { readonly literal: string },
): string | undefined {
  const table = nodeAt(text, path)
  if (table?.kind !== 'table') return undefined
  const value = table.entries.get(key)?.node
  const literal = 'append' in change ? listLiteral(change.append) : change.literal
  if (value === undefined) return insertPair(text, table, `${writeTomlKey([key])} = ${literal}`)
  const last = 'append' in change && value.kind === 'array' ? value.items.at(-1) : undefined
  if (last === undefined || !('append' in change))
    return text.slice(0, value.range.start) + literal + text.slice(value.range.end)
  const lead = /\n[ \t]*$/.exec(text.slice(0, last.range.start))?.[0] ?? ' '
  return insert(text, last.range.end, change.append.map(item => `,${lead}${doubleQuoted(item)}`).join(''))
}

function insertPair(text: string, table: TomlTable, pair: string): string {
  const last = table.pairs.at(-1)
  if (table.form === 'inline')
    return last === undefined
      ? insert(text, table.range.start + 1, ` ${pair} `)
      : insert(text, last.range.end, `, ${pair}`)
  const lines = new TomlLines(text)
  const at = lines.nextLine(endOf(table))
  return lines.restoreEnd(insert(lines.text, at, lines.indentAt(table.range.start) + pair + lines.newline))
}

/** Where the last pair below a header ends. */
function endOf({ range, entries }: TomlTable): number {
  let end = range.end
  for (const { node, pair } of entries.values()) end = Math.max(end, pair?.range.end ?? node.range.end)
  return end
}

function nodeAt(text: string, path: readonly (string | number)[]): TomlNode | undefined {
  const tree = readTomlTree(text)
  if ('code' in tree) return undefined
  const parent = findTomlPlace(tree, path.slice(0, -1)).node
  const key = path.at(-1)
  if (typeof key === 'number') return parent.kind === 'array' ? parent.items[key] : undefined
  return parent.kind === 'table' ? parent.entries.get(key ?? '')?.node : undefined
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at)
}
