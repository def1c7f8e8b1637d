// A WebAssembly binary → its imports and exports. Walks the sections of a core module without checking code: linear, bounded, for any
// bytes.
import { PARSE_LIMITS } from '../model/limits.ts'
import { WasmCursor, WasmProblem } from './cursor.ts'
import { WASM_MAGIC } from './magic.ts'
import { Gathered, SECTIONS, type WasmExport, type WasmImport } from './sections.ts'

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
