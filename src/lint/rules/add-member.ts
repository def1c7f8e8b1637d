// The edit that adds a member to an object of a JSON text.

import type { Document, Pointer } from '../../model/document.ts'
import type { Splice } from '../../text/splice.ts'

/** Behind the last member of an object, in the way the first one is written. */
export function addMember(document: Document, pointer: Pointer, member: string): Splice | undefined {
  const { text } = document
  const { start, end } = document.locate(pointer)
  const inside = text.slice(start + 1, end - 1)
  if (text[start] !== '{' || text[end - 1] !== '}') return undefined
  const lead = /^\s*/.exec(inside)?.[0] ?? ''
  const at = start + 1 + inside.trimEnd().length
  if (inside.trim() === '') return { range: { start, end }, text: `{ ${member} }` }
  return { range: { start: at, end: at }, text: `,${lead === '' ? ' ' : lead}${member}` }
}
