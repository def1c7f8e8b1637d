// An agentcli text → a document whose values can be located, also where strict reading refuses it (a key that stands twice).
import type { Document, Pointer, Range } from '../../model/document.ts'
import { JsonIndex } from '../json/index.ts'
import type { Decoded } from './decode.ts'

/** Undefined when the text is not well-formed, or nests too deeply to be looked into. */
export function agentcliDocument(path: string, decoded: Decoded): Document | undefined {
  // A value of a wrong type has a place; whatever else ends reading means that there are no values.
  if (!decoded.ok && decoded.at === undefined) return undefined
  const { text } = decoded
  let index: JsonIndex | undefined
  return {
    path,
    text,
    syntax: 'json',
    /** Parsed only for those who ask: lint has no need of it. */
    get value(): unknown {
      return JSON.parse(text)
    },
    locate(pointer: Pointer, part: 'key' | 'value' = 'value'): Range {
      index ??= new JsonIndex(text)
      const { member } = index.find(pointer)
      return part === 'key' ? (member.key ?? member.value) : member.value
    },
  }
}
