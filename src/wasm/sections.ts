// One section of a core module → what it adds to the facts about the module.
import type { WasmCursor } from './cursor.ts'
import { readKind, skipImportType, type WasmKind } from './import-type.ts'

export interface WasmImport {
  readonly module: string
  readonly name: string
  readonly kind: WasmKind
}

export interface WasmExport {
  readonly name: string
  readonly kind: WasmKind
}

/** More than older engines load. Refused, not cut: an import that is not listed would not be compared. */
const MAX_LISTED = 100_000
/** The most custom sections that are named in the result. */
const MAX_CUSTOM = 1000

/** The facts that one pass over a module gathers. */
export class Gathered {
  readonly imports: WasmImport[] = []
  readonly exports: WasmExport[] = []
  readonly customSections: string[] = []
  hasStart = false
  functions = 0
  bodies = 0
  dataCount: number | undefined
  data = 0
}

type Reader = (section: WasmCursor, found: Gathered) => void

/**
 * The readers of the sections, by id, with their names and in their required order (core specification, "Modules" in the binary format).
 * Ids are not in that order: the tag section (13) and the data count (12) came later.
 */
const READERS: readonly (readonly [id: number, name: string, read: Reader])[] = [
  [1, 'type', skipEntries],
  [2, 'import', readImports],
  [3, 'function', readFunctions],
  [4, 'table', skipEntries],
  [5, 'memory', skipEntries],
  [13, 'tag', skipEntries],
  [6, 'global', skipEntries],
  [7, 'export', readExports],
  [8, 'start', readStart],
  [9, 'element', skipEntries],
  [12, 'data count', readDataCount],
  [10, 'code', readBodies],
  [11, 'data', readData],
]

interface Section {
  readonly name: string
  /** Its place in the order; a custom section has none. */
  readonly rank?: number
  readonly read: Reader
}

export const SECTIONS: ReadonlyMap<number, Section> = new Map<number, Section>([
  [0, { name: 'custom', read: readCustom }],
  ...READERS.map(([id, name, read], rank): [number, Section] => [id, { name, rank, read }]),
])

/** The rest is checked by the engine that compiles the module. */
function skipRest(section: WasmCursor): void {
  section.skip(section.left, 'a section')
}

function skipEntries(section: WasmCursor): void {
  section.count('entries', 1)
  skipRest(section)
}

function readCustom(section: WasmCursor, found: Gathered): void {
  const name = section.name('the name of a custom section')
  if (found.customSections.length < MAX_CUSTOM) found.customSections.push(name)
  skipRest(section)
}

function readFunctions(section: WasmCursor, found: Gathered): void {
  found.functions = section.count('functions', 1)
  for (let i = 0; i < found.functions; i++) section.unsigned(32, 'a type index')
}

function readStart(section: WasmCursor, found: Gathered): void {
  section.unsigned(32, 'the start function')
  found.hasStart = true
}

function readBodies(section: WasmCursor, found: Gathered): void {
  found.bodies = section.count('bodies', 1)
  for (let i = 0; i < found.bodies; i++) section.skip(section.unsigned(32, 'the size of a body'), 'a body')
}

function readData(section: WasmCursor, found: Gathered): void {
  found.data = section.count('data segments', 1)
  skipRest(section)
}

function readDataCount(section: WasmCursor, found: Gathered): void {
  found.dataCount = section.unsigned(32, 'the data count')
}

function readImports(section: WasmCursor, found: Gathered): void {
  const count = listed(section, 'imports', 4)
  for (let i = 0; i < count; i++) {
    const module = section.name('the module of an import')
    const name = section.name('the name of an import')
    const kind = readKind(section, 'an import')
    skipImportType(section, kind)
    found.imports.push({ module, name, kind })
  }
}

function readExports(section: WasmCursor, found: Gathered): void {
  const count = listed(section, 'exports', 3)
  const names = new Set<string>()
  for (let i = 0; i < count; i++) {
    const start = section.at
    const name = section.name('the name of an export')
    // With two exports of one name, readers could choose different entries.
    if (names.has(name)) section.refuse(`two exports are called ${JSON.stringify(name.slice(0, 60))}`, start)
    names.add(name)
    const kind = readKind(section, 'an export')
    section.unsigned(32, 'the index of an export')
    found.exports.push({ name, kind })
  }
}

function listed(section: WasmCursor, what: string, smallest: number): number {
  const start = section.at
  const count = section.count(what, smallest)
  if (count > MAX_LISTED) section.unknown(`it has ${count} ${what}`, start)
  return count
}
