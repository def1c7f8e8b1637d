// The text of an agentcli tools.json → its entries, as Go's encoding/json reads them into structs: unknown keys are skipped, keys match
// in any case, null changes nothing, the last of repeated keys counts.

import { findJsonProblem } from '../json/scan.ts'
import type { Pointer } from '../model/document.ts'
import { byteLimit } from '../model/limits.ts'
import { MAX_TEXT_BYTES } from '../text/decode.ts'
import { midSentence } from '../text/words.ts'
import { Decoder } from './decoder.ts'
import type { AgentcliEntry } from './entry.ts'
import { isJson, isTooDeep } from './go-json.ts'

export type AgentcliDecoded =
  | {
      readonly ok: true
      readonly text: string
      /** Hands on the entries, until `look` returns false. They are read again at each call and never kept: a hostile file holds millions. */
      each(look: (entry: AgentcliEntry, index: number) => boolean): void
      /** The document's spelling of `tools`. */
      readonly root: string
    }
  | {
      readonly ok: false
      readonly text: string
      /** The end of the message that begins with `parse manifest: `. */
      readonly detail: string
      readonly at?: Pointer
      readonly offset?: number
    }

export const TOO_LARGE = `the file is larger than the ${byteLimit(MAX_TEXT_BYTES)} that are read`

/** Never throws. Invalid UTF-8 becomes U+FFFD; a byte order mark is refused. */
export function decodeAgentcli(source: string | Uint8Array): AgentcliDecoded {
  if (source.length > MAX_TEXT_BYTES) {
    return { ok: false, text: '', detail: TOO_LARGE }
  }
  const text =
    typeof source === 'string' ? source : new TextDecoder('utf-8', { ignoreBOM: true }).decode(source)
  if (isTooDeep(text)) return { ok: false, text, detail: 'exceeded max depth' }
  const problem = syntaxProblem(text)
  if (problem !== undefined) return { ok: false, text, ...problem }
  const decoder = new Decoder(text)
  if (decoder.problem !== undefined) return { ok: false, text, ...decoder.problem }
  const { root } = decoder
  return { ok: true, text, each: look => decoder.each(look), root }
}

/** Strict reading also objects to text that Go accepts; JSON.parse tells whether there is a syntax error too. */
function syntaxProblem(text: string): { readonly detail: string; readonly offset?: number } | undefined {
  const problem = findJsonProblem(text)
  if (problem === undefined) return undefined
  const { code, message, offset } = problem
  if (code !== 'syntax') return isJson(text) ? undefined : { detail: 'the text is not JSON' }
  return {
    detail: midSentence(message),
    ...(offset !== undefined && { offset }),
  }
}
