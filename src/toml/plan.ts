// Collects edits of a TOML text, and applies them all at once to its lines.
import type { Pointer } from '../model/document.ts'
import { doubleQuoted } from '../text/double-quoted.ts'
import { applySplices, type Splice } from '../text/splice.ts'
import type { TomlEntry, TomlNode, TomlPair, TomlSection, TomlTable, TomlTree } from './node.ts'
import {
  listLiteral,
  pairsOf,
  type TomlEntries,
  type TomlSettable,
  tableLiteral,
  writeTomlKey,
  writeTomlValue,
} from './write.ts'

/** Sets a scalar, in the quotes that are there. */
interface SetScalar {
  readonly set: TomlSettable
}

/** Sets a value of any type, as TOML text. */
interface SetLiteral {
  readonly literal: string
}

/** Adds texts at the end of a list. Anything else that is there gives way to a list of them. */
interface AppendTexts {
  readonly append: readonly string[]
}

/** The change of the value of one key. */
export type TomlValueChange = SetScalar | SetLiteral | AppendTexts

/** Ranks at one place: lines belong to the section above, new tables follow them. */
const LINE = 0
const TABLE = 1

/** The changes inside one pair of braces. */
interface InlineChange {
  readonly added: string[]
  readonly removed: Set<TomlPair>
}

/** Collects edits of one text. `set`, `addTables` and `remove` return why an edit is impossible, or undefined. */
export class TomlPlan {
  private readonly tree: TomlTree
  private readonly lines: TomlLines
  private readonly splices: Splice[] = []
  private readonly inline = new Map<TomlTable, InlineChange>()
  /** Lines for missing tables, by header. */
  private readonly tables = new Map<string, { readonly keys: readonly string[]; readonly body: string[] }>()
  /** Lines for the root table, if it has no pair yet. */
  private readonly rootLines: string[] = []

  constructor(text: string, tree: TomlTree) {
    this.lines = new TomlLines(text)
    this.tree = tree
  }

  /** @param path to a key; on the way, a number leads to a table in a list */
  set(path: Pointer, change: TomlValueChange): string | undefined {
    const keys = path.map(String)
    let node: TomlNode = this.tree.root
    let entry: TomlEntry | undefined
    for (const [index, step] of path.entries()) {
      const item: TomlNode | undefined =
        node.kind === 'array' && typeof step === 'number' ? node.items[step] : undefined
      if (item !== undefined) {
        node = item
        continue
      }
      if (node.kind !== 'table') return `${writeTomlKey(keys.slice(0, index))} is no table`
      entry = node.entries.get(String(step))
      if (entry === undefined) {
        this.add(node, keys, index, literalOf(change))
        return undefined
      }
      node = entry.node
    }
    return entry === undefined ? 'an edit has an empty path' : this.replace(entry, change)
  }

  /**
   * Adds tables to a list. A table that is alone becomes the first of the list. If there is nothing, the list begins at the end of the text.
   */
  addTables(path: readonly string[], tables: readonly TomlEntries[]): string | undefined {
    const { lines } = this
    const node = this.entryAt(path)?.node
    const last = node?.kind === 'array' ? node.items.at(-1) : node
    const isAlone = node?.kind === 'table'
    const { start, end } = last?.range ?? { start: lines.text.length, end: lines.text.length }
    const indent = lines.indentAt(start)
    if (last?.kind === 'table' && last.form === 'inline') {
      const lead = isAlone ? `${lines.newline}${indent}  ` : lines.leadAt(start)
      const added = tables.map(entries => `,${lead}${tableLiteral(entries)}`).join('')
      if (isAlone) this.splice(start, start, `[${lead}`)
      this.splice(end, end, isAlone ? `${added},${lines.newline}${indent}]` : added)
      return undefined
    }
    if (node !== undefined && (last?.kind !== 'table' || last.form !== 'header'))
      return `${writeTomlKey(path)} is written in a way that cannot be extended`
    if (isAlone) {
      this.splice(start, start, '[')
      this.splice(end, end, ']')
    }
    const section = this.tree.sections.findLast(({ keys }) => sharedKeys(keys, path) === path.length)
    const at = section === undefined ? end : lines.nextLine(endOf(section))
    for (const entries of tables) {
      const block = [`[[${writeTomlKey(path)}]]`, ...pairsOf(entries)]
      const text = block.map(line => indent + line + lines.newline).join('')
      this.splice(at, at, lines.newline + text, TABLE)
    }
    return undefined
  }

  remove(path: readonly string[]): string | undefined {
    const entry = this.entryAt(path)
    if (entry === undefined) return undefined
    if (entry.pair === undefined) return this.removeTable(entry.node, path)
    const { owner, range } = entry.pair
    if (owner.kind === 'table') this.changeOf(owner).removed.add(entry.pair)
    else this.splice(this.lines.lineStart(range.start), this.lines.nextLine(range.end), '')
    return undefined
  }

  /** The new text; undefined if edits contradict each other. */
  apply(): string | undefined {
    for (const [table, change] of this.inline) this.spliceInline(table, change)
    for (const { keys, body } of this.tables.values()) this.spliceTable(keys, body)
    if (this.rootLines.length > 0) this.spliceRoot()
    const result = applySplices(this.lines.text, this.splices)
    return result === undefined ? undefined : this.lines.restoreEnd(result)
  }

  private entryAt(path: readonly string[]): TomlEntry | undefined {
    let node: TomlNode | undefined = this.tree.root
    let entry: TomlEntry | undefined
    for (const key of path) {
      entry = node?.kind === 'table' ? node.entries.get(key) : undefined
      node = entry?.node
    }
    return entry
  }

  /** Removes a header, or each of a list, with the pairs below it, if the table has no other parts. */
  private removeTable(node: TomlNode, path: readonly string[]): string | undefined {
    for (const table of node.kind === 'array' && node.open ? node.items : [node]) {
      const section = table.kind === 'table' && table.form === 'header' ? table.section : undefined
      const isWhole =
        table.kind === 'table' && [...table.entries.values()].every(({ pair }) => pair !== undefined)
      if (section?.header === undefined || !isWhole)
        return `${writeTomlKey(path)} is written as several tables`
      this.splice(this.lines.lineStart(section.header.start), this.lines.nextLine(endOf(section)), '')
    }
    return undefined
  }

  private replace({ node, pair }: TomlEntry, change: TomlValueChange): string | undefined {
    if (pair === undefined) return 'a table is where a value should be set'
    const { start, end } = node.range
    const last = 'append' in change && node.kind === 'array' ? node.items.at(-1)?.range : undefined
    if ('append' in change && last !== undefined) {
      const lead = this.lines.leadAt(last.start)
      this.splice(last.end, last.end, change.append.map(text => `,${lead}${doubleQuoted(text)}`).join(''))
    } else if (!('set' in change) || node.kind !== 'scalar') this.splice(start, end, literalOf(change))
    else if (node.value !== change.set) this.splice(start, end, writeTomlValue(change.set, node.literal))
    return undefined
  }

  /** Adds `path`, whose first `index` keys `table` already holds. */
  private add(table: TomlTable, path: readonly string[], index: number, literal: string): void {
    const { form, section, through } = table
    const rest = path.slice(index)
    const pair = `${writeTomlKey(rest)} = ${literal}`
    if (form === 'inline') this.changeOf(table).added.push(pair)
    else if (form === 'dotted' && through !== undefined) this.addSibling(through.pair, through.parts, pair)
    else if (rest.length === 1 && section !== undefined) this.addToSection(section, pair)
    else {
      const keys = path.slice(0, -1)
      const name = writeTomlKey(keys)
      const body = this.tables.get(name)?.body ?? []
      body.push(`${writeTomlKey(path.slice(-1))} = ${literal}`)
      this.tables.set(name, { keys, body })
    }
  }

  /** Beside `sibling`, whose first `parts` key parts are repeated as written there. */
  private addSibling(sibling: TomlPair, parts: number, pair: string): void {
    const { range, owner } = sibling
    const prefix = this.lines.text.slice(range.start, sibling.parts[parts]?.start ?? range.start)
    if (owner.kind === 'table') this.changeOf(owner).added.push(prefix + pair)
    else this.addLineBelow(range, prefix + pair)
  }

  private addToSection(section: TomlSection, pair: string): void {
    const above = section.pairs.at(-1)?.range ?? section.header
    if (above === undefined) this.rootLines.push(pair)
    else this.addLineBelow(above, pair)
  }

  private addLineBelow(above: { readonly start: number; readonly end: number }, pair: string): void {
    const at = this.lines.nextLine(above.end)
    this.splice(at, at, this.lines.indentAt(above.start) + pair + this.lines.newline)
  }

  private spliceInline(table: TomlTable, { added, removed }: InlineChange): void {
    const { pairs, range } = table
    const kept = pairs.findLast(pair => !removed.has(pair))
    if (kept === undefined) {
      this.splice(range.start + 1, range.end - 1, added.length > 0 ? ` ${added.join(', ')} ` : '')
      return
    }
    for (const pair of added) this.splice(kept.range.end, kept.range.end, `, ${pair}`)
    let keptBefore = false
    for (const [index, pair] of pairs.entries()) {
      // Each removed pair takes one comma with it: the one before it, or the one behind it if no pair is left before it.
      const from = keptBefore ? pairs[index - 1]?.range.end : pair.range.start
      const to = keptBefore ? pair.range.end : pairs[index + 1]?.range.start
      if (!removed.has(pair)) keptBefore = true
      else this.splice(from ?? pair.range.start, to ?? pair.range.end, '')
    }
  }

  /** A table of its own, behind the last section that shares most of its keys, or at the end. */
  private spliceTable(keys: readonly string[], body: readonly string[]): void {
    const { lines } = this
    let most = 1
    let nearest: TomlSection | undefined
    for (const section of this.tree.sections) {
      const shared = sharedKeys(section.keys, keys)
      if (shared < most) continue
      most = shared
      nearest = section
    }
    const at = nearest === undefined ? lines.text.length : this.sectionEnd(nearest)
    const indent = nearest?.header === undefined ? '' : lines.indentAt(nearest.header.start)
    const isFirst = !this.splices.some(splice => splice.rank === TABLE && splice.range.start === at)
    const isApart = at === 0 || lines.isBlank(lines.lineStart(at - 1))
    const block = [`[${writeTomlKey(keys)}]`, ...body].map(line => indent + line + lines.newline)
    this.splice(at, at, (isFirst && isApart ? '' : lines.newline) + block.join(''), TABLE)
  }

  /** Above the first header and the comment that belongs to it; in a text without headers at the end. */
  private spliceRoot(): void {
    const { lines } = this
    const header = this.tree.sections[1]?.header
    const block = this.rootLines.map(line => line + lines.newline).join('')
    let at = header === undefined ? lines.text.length : lines.lineStart(header.start)
    while (header !== undefined && at > 0 && lines.isComment(lines.lineStart(at - 1)))
      at = lines.lineStart(at - 1)
    this.splice(at, at, header === undefined ? block : block + lines.newline)
  }

  /** Behind the section's last pair, and behind comment lines that follow it directly and belong to no other pair. */
  private sectionEnd(section: TomlSection): number {
    const { lines } = this
    const end = lines.nextLine(endOf(section))
    let at = end
    while (lines.isComment(at)) at = lines.nextLine(at)
    return lines.isBlank(at) ? at : end
  }

  private changeOf(table: TomlTable): InlineChange {
    const change = this.inline.get(table) ?? { added: [], removed: new Set<TomlPair>() }
    this.inline.set(table, change)
    return change
  }

  private splice(start: number, end: number, text: string, rank = LINE): void {
    this.splices.push({ range: { start, end }, text, rank })
  }
}

function literalOf(change: TomlValueChange): string {
  if ('set' in change) return writeTomlValue(change.set)
  return 'append' in change ? listLiteral(change.append) : change.literal
}

/** The end of the last pair of a section, or of its header. */
function endOf({ pairs, header }: TomlSection): number {
  return (pairs.at(-1)?.range ?? header)?.end ?? 0
}

function sharedKeys(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}

/** A text in which every line has a line end, including the last; offsets are those of the text as given. */
class TomlLines {
  readonly text: string
  /** The text's own line end: that of its first line. */
  readonly newline: string
  private readonly isOpenEnded: boolean

  constructor(text: string) {
    this.newline = /\r?\n/.exec(text)?.[0] ?? '\n'
    this.isOpenEnded = !text.endsWith('\n')
    this.text = this.isOpenEnded ? text + this.newline : text
  }

  /** Removes the final line end of an edited text if the given text had none. */
  restoreEnd(edited: string): string {
    const extra = this.isOpenEnded && edited.endsWith(this.newline)
    return extra ? edited.slice(0, -this.newline.length) : edited
  }

  lineStart(offset: number): number {
    return offset <= 0 ? 0 : this.text.lastIndexOf('\n', offset - 1) + 1
  }

  /** Start of the line below; the end of the text if there is none. */
  nextLine(offset: number): number {
    const end = this.text.indexOf('\n', offset)
    return end === -1 ? this.text.length : end + 1
  }

  /** The white space before the line's first character. */
  indentAt(offset: number): string {
    return /^[ \t]*/.exec(this.text.slice(this.lineStart(offset), offset))?.[0] ?? ''
  }

  /** The white space between a comma and an item behind the one at the offset: that one's line break and indentation, or a blank. */
  leadAt(offset: number): string {
    return /\n[ \t]*$/.exec(this.text.slice(0, offset))?.[0] ?? ' '
  }

  isComment(lineStart: number): boolean {
    return /^[ \t]*#/.test(this.lineAt(lineStart))
  }

  /** Also true at the end of the text. */
  isBlank(lineStart: number): boolean {
    return /^[ \t]*(?:\r?\n)?$/.test(this.lineAt(lineStart))
  }

  private lineAt(start: number): string {
    return this.text.slice(start, this.nextLine(start))
  }
}
