// Builds a tree of values with positions from the syntax of a TOML text. Refuses what the syntax parser accepts: tables defined twice, keys that objects
// inherit, values that JSON cannot hold, and nesting that adds up over headers and keys, which overflows both parsers.
import type { Range, TextProblem, TextProblemCode } from '../model/document.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { ParseBudget, tooMany } from '../text/parse-budget.ts'
import { readTomlScalar } from './agree.ts'
import {
  type TomlArray,
  type TomlEntry,
  type TomlNode,
  type TomlPair,
  TomlRefusal,
  type TomlSection,
  type TomlTable,
  type TomlTree,
} from './node.ts'
import type { SyntaxHeader, SyntaxKeyPart, SyntaxPair, SyntaxTop, SyntaxValue } from './syntax.ts'

/**
 * @param text one that `findTomlProblem` accepted: its bounds limit the recursion below
 * @param top its syntax
 * @returns the tree, or the first problem: `duplicate-key`, `unsafe-value` or `too-deep`, with its offset
 */
export function buildTomlTree(text: string, top: SyntaxTop): TomlTree | TextProblem {
  try {
    return new TreeBuilder(text).build(top)
  } catch (error) {
    if (error instanceof TomlRefusal) return error.problem
    throw error
  }
}

class TreeBuilder {
  private readonly text: string
  private readonly root: TomlTable
  private readonly sections: TomlSection[] = []

  constructor(text: string) {
    this.text = text
    this.root = newTable('root', { start: 0, end: text.length }, 1)
  }

  build(top: SyntaxTop): TomlTree {
    const above = this.addSection(this.root, [], undefined)
    for (const node of top.body) {
      if (node.type === 'TOMLTable') this.addHeader(node)
      else this.addPair(this.root, node, above)
    }
    return { root: this.root, sections: this.sections }
  }

  private addSection(table: TomlTable, keys: readonly string[], header: Range | undefined): TomlSection {
    const section: TomlSection = { kind: 'section', keys, header, pairs: [] }
    table.section = section
    this.sections.push(section)
    return section
  }

  private addHeader(node: SyntaxHeader): void {
    const parts = node.key.keys
    const keyEnd = parts.at(-1)?.range[1] ?? node.key.range[1]
    const brackets = node.kind === 'array' ? 2 : 1
    // The node's own range includes the pairs below the header.
    const header = { start: node.range[0], end: this.text.indexOf(']', keyEnd) + brackets }
    let table = this.root
    for (const part of parts.slice(0, -1)) table = passThrough(table, part)
    for (const part of parts.slice(-1))
      table = node.kind === 'array' ? addElement(table, part, header) : openTable(table, part, header)
    const section = this.addSection(table, parts.map(nameOf), header)
    for (const pair of node.body) this.addPair(table, pair, section)
  }

  private addPair(owner: TomlTable, node: SyntaxPair, place: TomlSection | TomlTable): void {
    const parts = node.key.keys
    const pair: TomlPair = { range: rangeOf(node), parts: parts.map(rangeOf), owner: place }
    place.pairs.push(pair)
    let table = owner
    for (const [index, part] of parts.slice(0, -1).entries()) {
      table = dottedTable(table, part)
      table.through = { pair, parts: index + 1 }
    }
    for (const part of parts.slice(-1)) {
      if (table.entries.has(nameOf(part))) throw duplicate(part)
      const value = this.value(node.value, table.depth)
      setEntry(table, part, { key: rangeOf(part), node: value, pair })
    }
  }

  private value(node: SyntaxValue, depth: number): TomlNode {
    if (node.type === 'TOMLValue') return readTomlScalar(node)
    const range = rangeOf(node)
    if (node.type === 'TOMLArray') {
      const array = newArray(false, range, depth + 1)
      for (const element of node.elements) array.items.push(this.value(element, array.depth))
      return array
    }
    const table = newTable('inline', range, depth + 1)
    for (const pair of node.body) this.addPair(table, pair, table)
    return table
  }
}

/** The table that a part of a header, other than the last, leads to. */
function passThrough(table: TomlTable, part: SyntaxKeyPart): TomlTable {
  const node = table.entries.get(nameOf(part))?.node
  if (node === undefined) return addTable(table, part, 'implied')
  if (node.kind === 'table' && node.form !== 'inline') return node
  const last = node.kind === 'array' && node.open ? node.items.at(-1) : undefined
  if (last?.kind === 'table') return last
  throw duplicate(part)
}

function openTable(table: TomlTable, part: SyntaxKeyPart, header: Range): TomlTable {
  const entry = table.entries.get(nameOf(part))
  if (entry === undefined) return addTable(table, part, 'header', header)
  if (entry.node.kind !== 'table' || entry.node.form !== 'implied') throw duplicate(part)
  entry.key = rangeOf(part)
  entry.node.form = 'header'
  entry.node.range = header
  return entry.node
}

function addElement(table: TomlTable, part: SyntaxKeyPart, header: Range): TomlTable {
  let array = table.entries.get(nameOf(part))?.node
  if (array === undefined) {
    array = newArray(true, header, table.depth + 1)
    setEntry(table, part, { key: rangeOf(part), node: array })
  }
  if (array.kind !== 'array' || !array.open) throw duplicate(part)
  const element = newTable('header', header, array.depth + 1)
  array.items.push(element)
  return element
}

function dottedTable(table: TomlTable, part: SyntaxKeyPart): TomlTable {
  const node = table.entries.get(nameOf(part))?.node
  if (node === undefined) return addTable(table, part, 'dotted')
  if (node.kind !== 'table' || node.form !== 'dotted') throw duplicate(part)
  return node
}

function addTable(
  parent: TomlTable,
  part: SyntaxKeyPart,
  form: TomlTable['form'],
  header?: Range,
): TomlTable {
  const key = rangeOf(part)
  const table = newTable(form, header ?? key, parent.depth + 1)
  setEntry(parent, part, { key, node: table })
  return table
}

function setEntry(table: TomlTable, part: SyntaxKeyPart, entry: TomlEntry): void {
  const name = nameOf(part)
  if (name === '__proto__' || name === 'constructor')
    throw refusal('unsafe-value', `The key "${name}" is not allowed`, part.range[0])
  table.entries.set(name, entry)
}

function newTable(form: TomlTable['form'], range: Range, depth: number): TomlTable {
  if (depth > PARSE_LIMITS.tomlDepth) throw new TomlRefusal(tooDeep(range.start))
  return { kind: 'table', form, entries: new Map(), range, depth, pairs: [] }
}

function newArray(open: boolean, range: Range, depth: number): TomlArray {
  if (depth > PARSE_LIMITS.tomlDepth) throw new TomlRefusal(tooDeep(range.start))
  return { kind: 'array', items: [], open, range, depth }
}

function nameOf(part: SyntaxKeyPart): string {
  return part.type === 'TOMLBare' ? part.name : part.value
}

function rangeOf(node: { readonly range: readonly [number, number] }): Range {
  return { start: node.range[0], end: node.range[1] }
}

function duplicate(part: SyntaxKeyPart): TomlRefusal {
  const name = nameOf(part)
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
  return refusal('duplicate-key', `The key ${shown} is defined twice`, part.range[0])
}

function refusal(code: TextProblemCode, message: string, offset: number): TomlRefusal {
  return new TomlRefusal({ code, message, offset })
}

/** A bare CR ends a line for one of the parsers and not for the other; TOML allows no other control character but tab anywhere. */
const FORBIDDEN = /\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/

/**
 * The first place where a text exceeds the bounds (`too-deep`, `too-large`) or holds a character that TOML forbids (`syntax`).
 * @param budget shared by this text and those after it; by default the text gets a whole one
 */
export function findTomlProblem(text: string, budget = new ParseBudget()): TextProblem | undefined {
  const forbidden = FORBIDDEN.exec(text)
  if (forbidden !== null) {
    const code = text.charCodeAt(forbidden.index).toString(16).toUpperCase().padStart(4, '0')
    return problem('syntax', `The control character U+${code} is not allowed here`, forbidden.index)
  }
  let depth = 0
  let dots = 0
  let at = 0
  while (at < text.length) {
    const c = text[at] ?? ''
    const start = at
    if (c === ' ' || c === '\t' || c === '\r') {
      at++
      continue
    }
    if (!budget.takesToken()) return tooMany(budget.mostTokens, 'lines, keys, values and signs', start)
    if (c === '#') {
      at = text.indexOf('\n', at)
      if (at === -1) return undefined
      continue
    }
    if (c === '"' || c === "'") {
      const end = endOfTomlString(text, start)
      if (end === -1) return problem('syntax', 'Unterminated string', start)
      if (end - start > PARSE_LIMITS.tomlString)
        return problem('too-large', `A string of more than ${PARSE_LIMITS.tomlString} characters`, start)
      at = end
      continue
    }
    if (c === '.') dots++
    else if (c === ']' || c === '}') depth = Math.max(0, depth - 1)
    else if (c === '[' || c === '{') depth++
    if ('\n=,[{'.includes(c)) dots = 0
    if (depth > PARSE_LIMITS.tomlDepth || dots >= PARSE_LIMITS.tomlDepth) return tooDeep(start)
    at = '\n.=,[]{}'.includes(c) ? at + 1 : endOfWord(text, at)
    if (at - start > PARSE_LIMITS.tomlWord)
      return problem(
        'too-large',
        `A bare key or value of more than ${PARSE_LIMITS.tomlWord} characters`,
        start,
      )
  }
  return undefined
}

/** The one problem for nesting, wherever it is found. */
function tooDeep(offset: number): TextProblem {
  return problem('too-deep', `More than ${PARSE_LIMITS.tomlDepth} levels of nesting`, offset)
}

function problem(code: TextProblemCode, message: string, offset: number): TextProblem {
  return { code, message, offset }
}

const AFTER_WORD = /[ \t\r\n.=,[\]{}#"']/g

function endOfWord(text: string, from: number): number {
  AFTER_WORD.lastIndex = from
  return AFTER_WORD.test(text) ? AFTER_WORD.lastIndex - 1 : text.length
}

/** The offset after the string that begins at `open`, or -1. Does not judge its escapes. */
function endOfTomlString(text: string, open: number): number {
  const quote = text[open] ?? ''
  const triple = text.startsWith(quote.repeat(3), open)
  for (let at = open + (triple ? 3 : 1); at < text.length; at++) {
    const c = text[at]
    if (c === '\\' && quote === '"') at++
    else if (c === '\n' && !triple) return -1
    else if (c === quote) {
      if (!triple) return at + 1
      if (!text.startsWith(quote.repeat(3), at)) continue
      // Up to two quotes may come directly before the closing three.
      let end = at + 3
      while (end < at + 5 && text[end] === quote) end++
      return end
    }
  }
  return -1
}
