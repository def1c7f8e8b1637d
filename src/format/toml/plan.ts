// Edits of a TOML text, one after the other → the splices that apply them all at once.
import { applySplices, type Splice } from '../text/splice.ts'
import { TomlLines } from './lines.ts'
import type { TomlEntry, TomlNode, TomlPair, TomlSection, TomlTable, TomlTree } from './node.ts'
import { type TomlSettable, writeTomlKey, writeTomlValue } from './write.ts'

/** Ranks at one place: lines belong to the section above, new tables follow them. */
const LINE = 0
const TABLE = 1

/** The changes inside one pair of braces. */
interface InlineChange {
  readonly added: string[]
  readonly removed: Set<TomlPair>
}

/** Collects edits of one text. `set` and `remove` return why an edit is impossible, or undefined. */
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

  set(path: readonly string[], value: TomlSettable): string | undefined {
    let table = this.tree.root
    for (const [index, key] of path.entries()) {
      const entry = table.entries.get(key)
      if (entry === undefined) {
        this.add(table, path, index, value)
        return undefined
      }
      const { node } = entry
      if (index === path.length - 1) return this.replace(entry, value)
      if (node.kind !== 'table') return `${writeTomlKey(path.slice(0, index + 1))} is no table`
      table = node
    }
    return 'an edit has an empty path'
  }

  remove(path: readonly string[]): string | undefined {
    let table = this.tree.root
    for (const key of path.slice(0, -1)) {
      const node = table.entries.get(key)?.node
      if (node?.kind !== 'table') return undefined
      table = node
    }
    const entry = path.length === 0 ? undefined : table.entries.get(path.at(-1) ?? '')
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

  /** Removes a header, or each of a list, with the pairs below it, if the table has no other parts. */
  private removeTable(node: TomlNode, path: readonly string[]): string | undefined {
    for (const table of node.kind === 'array' && node.open ? node.items : [node]) {
      const section = table.kind === 'table' && table.form === 'header' ? table.section : undefined
      const isWhole =
        table.kind === 'table' && [...table.entries.values()].every(({ pair }) => pair !== undefined)
      if (section?.header === undefined || !isWhole)
        return `${writeTomlKey(path)} is written as several tables`
      const end = section.pairs.at(-1)?.range.end ?? section.header.end
      this.splice(this.lines.lineStart(section.header.start), this.lines.nextLine(end), '')
    }
    return undefined
  }

  private replace({ node, pair }: TomlEntry, value: TomlSettable): string | undefined {
    if (pair === undefined) return 'a table is where a value should be set'
    const { start, end } = node.range
    if (node.kind !== 'scalar') this.splice(start, end, writeTomlValue(value))
    else if (node.value !== value) this.splice(start, end, writeTomlValue(value, node.literal))
    return undefined
  }

  /** Adds `path`, whose first `index` keys `table` already holds. */
  private add(table: TomlTable, path: readonly string[], index: number, value: TomlSettable): void {
    const { form, section, through } = table
    const rest = path.slice(index)
    const pair = `${writeTomlKey(rest)} = ${writeTomlValue(value)}`
    if (form === 'inline') this.changeOf(table).added.push(pair)
    else if (form === 'dotted' && through !== undefined) this.addSibling(through.pair, through.parts, pair)
    else if (rest.length === 1 && section !== undefined) this.addToSection(section, pair)
    else {
      const keys = path.slice(0, -1)
      const name = writeTomlKey(keys)
      const body = this.tables.get(name)?.body ?? []
      body.push(`${writeTomlKey(path.slice(-1))} = ${writeTomlValue(value)}`)
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
    const above = section.pairs.at(-1)?.range ?? section.header
    const end = lines.nextLine(above?.end ?? 0)
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

function sharedKeys(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}
