// An agentcli text → a document whose values can be located, even if strict reading refuses it (a repeated key).

import { JsonIndex } from '../json/index.ts'
import type { Document, Pointer, Range } from '../model/document.ts'
import type { AgentcliDecoded } from './decode.ts'

/** Undefined if the text is not well-formed, or nests too deeply. */
export function agentcliDocument(path: string, decoded: AgentcliDecoded): Document | undefined {
  // A value of a wrong type has a place; after any other problem there are no values.
  if (!decoded.ok && decoded.at === undefined) return undefined
  const { text } = decoded
  let index: JsonIndex | undefined
  return {
    path,
    text,
    syntax: 'json',
    /** Parsed on demand: lint does not need it. */
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
