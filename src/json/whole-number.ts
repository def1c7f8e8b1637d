// A place in a document → whether its number is written as a whole number. `1.0` and `1e0` are 1 to JavaScript, and refused by readers
// with integer types.
import type { Document, Pointer } from '../model/document.ts'

export function isWrittenWhole(document: Document, pointer: Pointer): boolean {
  const { start, end } = document.locate(pointer)
  return /^(?:[+-]?[0-9_]+|0[xob][0-9A-Fa-f_]+)$/.test(document.text.slice(start, end))
}
