// Reads the imports and exports of a WebAssembly binary. It walks the sections of a core module without checking code: linear, bounded, for any bytes.

import { isUtf8 } from 'node:buffer'
import { PARSE_LIMITS } from '../model/limits.ts'

export interface WasmModule {
  /** All of them, in order. One name may be imported twice. */
  readonly imports: readonly WasmImport[]
  /** All of them, in order. */
  readonly exports: readonly WasmExport[]
  /** Names, in order: the first thousand. */
  readonly customSections: readonly string[]
  /** Whether a start section names a function that runs before any export is called. */
  readonly hasStart: boolean
  /** A component has other sections: it was not read, and the lists are empty. */
  readonly isComponent: boolean
}

export type WasmRead =
  | { readonly ok: true; readonly module: WasmModule }
  | {
      readonly ok: false
      /** Bytes from the start of the file. */
      readonly offset: number
      /** A clause: `the import section is cut off`. */
      readonly reason: string
      /** Possibly valid, but a section or type that this reader does not know. */
      readonly isUnknown: boolean
    }

/** Never throws, whatever the bytes are. */
export function readWasm(bytes: Uint8Array): WasmRead {
  try {
    return { ok: true, module: walk(bytes) }
  } catch (error) {
    if (!(error instanceof WasmProblem)) throw error
    const { message: reason, offset, isUnknown } = error
    return { ok: false, offset, reason, isUnknown }
  }
}

const COMPONENT: WasmModule = {
  imports: [],
  exports: [],
  customSections: [],
  hasStart: false,
  isComponent: true,
}

function walk(bytes: Uint8Array): WasmModule {
  const cursor = new WasmCursor(bytes)
  if (isComponent(cursor)) return COMPONENT
  const found = new Gathered()
  let last = -1
  let sections = 0
  while (cursor.left > 0) {
    const start = cursor.at
    if (++sections > PARSE_LIMITS.wasmSections)
      cursor.unknown(`it has more than ${PARSE_LIMITS.wasmSections} sections`, start)
    const id = cursor.byte('a section id')
    const { name, rank, read } = SECTIONS.get(id) ?? cursor.unknown(`a section has the id ${id}`, start)
    if (rank !== undefined) {
      if (rank <= last) cursor.refuse(`the ${name} section appears twice or too late`, start)
      last = rank
    }
    const size = cursor.unsigned(32, `the size of the ${name} section`)
    if (size > cursor.left)
      cursor.refuse(`the ${name} section announces ${size} bytes and ${cursor.left} are left`, start)
    const section = cursor.part(size, `the ${name} section`)
    read(section, found)
    if (section.left > 0) section.refuse(`${section.left} bytes follow the content of the ${name} section`)
  }
  return finish(found, cursor)
}

function finish(found: Gathered, cursor: WasmCursor): WasmModule {
  const { imports, exports, customSections, hasStart, functions, bodies, dataCount, data } = found
  if (functions !== bodies) cursor.refuse(`${functions} functions are declared and ${bodies} have a body`)
  if (dataCount !== undefined && dataCount !== data)
    cursor.refuse(`${dataCount} data segments are declared and ${data} are there`)
  return { imports, exports, customSections, hasStart, isComponent: false }
}

/** Reads magic, version and layer. */
function isComponent(cursor: WasmCursor): boolean {
  for (const expected of WASM_MAGIC.slice(0, 4)) {
    const start = cursor.at
    if (cursor.byte('the header') !== expected)
      cursor.refuse('it does not begin with the bytes 00 61 73 6d', start)
  }
  const [version = 0, high, layer, highest] = [0, 1, 2, 3].map(() => cursor.byte('the header'))
  if (high === 0 && layer === 1 && highest === 0) return true
  if (version === 1 && high === 0 && layer === 0 && highest === 0) return false
  return cursor.unknown('its version is not 1', 4)
}

export interface WasmImport {
  readonly module: string
  readonly name: string
  readonly kind: WasmKind
}

interface WasmExport {
  readonly name: string
  readonly kind: WasmKind
}

/** More than older engines load. Refused, not cut: an import that is not listed would not be compared. */
const MAX_LISTED = 100_000
/** The most custom sections that are named in the result. */
const MAX_CUSTOM = 1000

/** The facts that one pass over a module gathers. */
class Gathered {
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

const SECTIONS: ReadonlyMap<number, Section> = new Map<number, Section>([
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

/** The kinds of imports and exports in the order of their codes, in the words of the JavaScript API. */
const WASM_KINDS = ['function', 'table', 'memory', 'global', 'tag'] as const
type WasmKind = (typeof WASM_KINDS)[number]

function readKind(cursor: WasmCursor, what: string): WasmKind {
  const start = cursor.at
  const code = cursor.byte(`the kind of ${what}`)
  return WASM_KINDS[code] ?? cursor.unknown(`${what} is of kind ${code}`, start)
}

function skipImportType(cursor: WasmCursor, kind: WasmKind): void {
  switch (kind) {
    case 'function':
      cursor.unsigned(32, 'a type index')
      return
    case 'table':
      skipValueType(cursor)
      skipLimits(cursor)
      return
    case 'memory':
      skipLimits(cursor)
      return
    case 'global':
      skipValueType(cursor)
      flag(cursor, 'a mutability', 1)
      return
    case 'tag':
      flag(cursor, 'a tag attribute', 0)
      cursor.unsigned(32, 'a type index')
  }
}

/** Numbers and vectors 7f to 7b; abbreviated reference types 74 to 69; 64 and 63 name a heap type. */
function skipValueType(cursor: WasmCursor): void {
  const start = cursor.at
  const code = cursor.byte('a type')
  if (code === 0x63 || code === 0x64) cursor.skipSigned33('a heap type')
  else if (!(code >= 0x7b && code <= 0x7f) && !(code >= 0x69 && code <= 0x74)) {
    cursor.unknown(`a type has the code ${code}`, start)
  }
}

const HAS_MAXIMUM = 1
const HAS_PAGE_SIZE = 8
const ALL_FLAGS = 15

/** Minimum and maximum are read in the width of 64-bit memories: the wider of the two, and since version 3.0 the only one. */
function skipLimits(cursor: WasmCursor): void {
  const flags = flag(cursor, 'a limit', ALL_FLAGS)
  cursor.unsigned(64, 'a minimum')
  if (flags & HAS_MAXIMUM) cursor.unsigned(64, 'a maximum')
  if (flags & HAS_PAGE_SIZE) cursor.unsigned(32, 'a page size')
}

function flag(cursor: WasmCursor, what: string, most: number): number {
  const start = cursor.at
  const code = cursor.byte(what)
  return code <= most ? code : cursor.unknown(`${what} has the flags ${code}`, start)
}

/** Why the bytes are not a module. `offset` counts bytes from the start of the file. */
class WasmProblem extends Error {
  override readonly name = 'WasmProblem'
  readonly offset: number
  /** Possibly valid, but of a kind that this reader does not know. */
  readonly isUnknown: boolean
  constructor(reason: string, offset: number, isUnknown: boolean) {
    super(reason)
    this.offset = offset
    this.isUnknown = isUnknown
  }
}

/** The engines under the runtimes refuse longer names. */
const MAX_NAME_BYTES = 100_000

/** A position in a range of bytes. Every method throws {@link WasmProblem} rather than read beyond its end. */
class WasmCursor {
  readonly #bytes: Uint8Array
  readonly #end: number
  /** Bytes from the start of the file, also inside a section. */
  at: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes
    this.at = at
    this.#end = end
  }

  get left(): number {
    return this.#end - this.at
  }

  refuse(reason: string, offset = this.at): never {
    throw new WasmProblem(reason, offset, false)
  }

  unknown(reason: string, offset = this.at): never {
    throw new WasmProblem(reason, offset, true)
  }

  byte(what: string): number {
    if (this.at >= this.#end) this.refuse(`${what} is cut off`)
    return this.#bytes[this.at++] ?? 0
  }

  /** An unsigned LEB128 number. Above 53 bits it is rounded; no caller needs such a number. */
  unsigned(bits: 32 | 64, what: string): number {
    const start = this.at
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte(what)
      // The last byte that fits has room for a few bits only, and no continuation bit: this also ends the loop.
      if (shift + 7 > bits && byte >= 2 ** (bits - shift))
        this.refuse(`${what} does not fit into ${bits} bits`, start)
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }

  /** Skips a signed LEB128 number of 33 bits, the form of heap types. */
  skipSigned33(what: string): void {
    const start = this.at
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte(what)
      if (shift === 28 && byte > 0x0f && (byte < 0x70 || byte > 0x7f))
        this.refuse(`${what} does not fit into 33 bits`, start)
      if (byte < 0x80) return
    }
  }

  /** The number of entries that follow. Each takes at least `smallest` bytes, so that a false count costs nothing. */
  count(what: string, smallest: number, most: number = PARSE_LIMITS.wasmEntries): number {
    const start = this.at
    const count = this.unsigned(32, `the number of ${what}`)
    if (count * smallest > this.left)
      this.refuse(`${count} ${what} are announced in ${this.left} bytes`, start)
    if (count > most) this.unknown(`it has ${count} ${what}, and ${most} is the most that is read`, start)
    return count
  }

  name(what: string): string {
    const start = this.at
    const length = this.unsigned(32, `the length of ${what}`)
    if (length > this.left) this.refuse(`${what} is cut off`, start)
    if (length > MAX_NAME_BYTES) this.unknown(`${what} has ${length} bytes`, start)
    const bytes = this.#bytes.subarray(this.at, this.at + length)
    if (!isUtf8(bytes)) this.refuse(`${what} is not UTF-8`, start)
    this.at += length
    // A byte order mark belongs to the name: without it two names would be equal.
    return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('utf8')
  }

  skip(length: number, what: string): void {
    if (length > this.left) this.refuse(`${what} is cut off`)
    this.at += length
  }

  /** The next bytes as a range of their own; this cursor continues after them. */
  part(length: number, what: string): WasmCursor {
    const start = this.at
    this.skip(length, what)
    return new WasmCursor(this.#bytes, start, start + length)
  }
}

/** `\0asm` and version 1. */
export const WASM_MAGIC: readonly number[] = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]
