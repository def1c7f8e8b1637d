// The type of an import is skipped: only its kind and its length matter here.
import type { WasmCursor } from './cursor.ts'

/** The kinds of imports and exports in the order of their codes, in the words of the JavaScript API. */
export const WASM_KINDS = ['function', 'table', 'memory', 'global', 'tag'] as const
export type WasmKind = (typeof WASM_KINDS)[number]

export function readKind(cursor: WasmCursor, what: string): WasmKind {
  const start = cursor.at
  const code = cursor.byte(`the kind of ${what}`)
  return WASM_KINDS[code] ?? cursor.unknown(`${what} is of kind ${code}`, start)
}

export function skipImportType(cursor: WasmCursor, kind: WasmKind): void {
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
