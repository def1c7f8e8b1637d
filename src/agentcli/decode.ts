// Reads an agentcli tools.json as Go's encoding/json reads it into structs: unknown keys are skipped, keys match in any case, null changes nothing,
// the last of repeated keys counts.
import { findJsonProblem, skipSpace } from '../json/scan.ts'
import type { Pointer, Range } from '../model/document.ts'
import { byteLimit } from '../model/limits.ts'
import { own } from '../model/own.ts'
import { MAX_TEXT_BYTES } from '../text/decode.ts'
import { midSentence } from '../text/words.ts'
import { type AgentcliEntry, type AgentcliField, agentcliFieldOf, isSpelling } from './entry.ts'
import {
  elementAfter,
  firstElement,
  firstMember,
  isJson,
  isTooDeep,
  memberAfter,
  wellFormed,
} from './go-json.ts'

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

/** Reads entries one by one and keeps none: a hostile file holds millions. */
class Decoder {
  /** The document's spelling of `tools`. */
  root = 'tools'
  /** The first value of a wrong type, whatever else is wrong. */
  problem: { readonly detail: string; readonly at: Pointer } | undefined
  private readonly text: string
  /** Offset of the list that counts. */
  private list: number | undefined

  constructor(text: string) {
    this.text = text
    this.check()
  }

  /** Hands on the entries, until `look` returns false. */
  each(look: (entry: AgentcliEntry, index: number) => boolean): void {
    const { text, list } = this
    let index = 0
    let element = list === undefined ? undefined : firstElement(text, list)
    for (; element !== undefined; element = elementAfter(text, element)) {
      if (!look(this.entry(element, [this.root, index]), index)) return
      index++
    }
  }

  private check(): void {
    const start = skipSpace(this.text, 0)
    if (!this.is('{', start, [], 'an object')) return
    let member = firstMember(this.text, start)
    for (; member !== undefined && this.problem === undefined; member = memberAfter(this.text, member)) {
      const { key, value } = member
      if (!isSpelling(key, 'tools')) continue
      this.root = key
      this.list = this.is('[', value.start, [key], 'a list') ? value.start : undefined
      this.each(() => this.problem === undefined)
    }
  }

  private entry({ start }: Range, at: Pointer): AgentcliEntry {
    const spelled: Partial<Record<AgentcliField, string>> = {}
    const entry = {
      name: '',
      description: '',
      schema: undefined as string | undefined,
      command: [] as string[],
      timeoutSec: 0,
      envPassthrough: [] as string[],
      spelled,
    }
    if (!this.is('{', start, at, 'an object')) return entry
    let member = firstMember(this.text, start)
    for (; member !== undefined; member = memberAfter(this.text, member)) {
      const { key, value } = member
      const field = agentcliFieldOf(key)
      if (field === undefined) continue
      spelled[field] = key
      const place = [...at, key]
      if (field === 'schema') entry.schema = this.text.slice(value.start, value.end)
      else if (field === 'timeoutSec') entry.timeoutSec = this.integer(value, place, entry.timeoutSec)
      else if (field === 'name' || field === 'description')
        entry[field] = this.string(value, place, entry[field])
      else entry[field] = this.strings(value, place)
    }
    return entry
  }

  private strings({ start }: Range, at: Pointer): string[] {
    if (!this.is('[', start, at, 'a list of texts')) return []
    const texts: string[] = []
    let element = firstElement(this.text, start)
    for (; element !== undefined; element = elementAfter(this.text, element))
      texts.push(this.string(element, [...at, texts.length], ''))
    return texts
  }

  private string({ start, end }: Range, at: Pointer, before: string): string {
    return this.is('"', start, at, 'a text') ? wellFormed(JSON.parse(this.text.slice(start, end))) : before
  }

  /** Whole numbers only, by their text: `1.0` and `1e3` are refused. */
  private integer({ start, end }: Range, at: Pointer, before: number): number {
    if (this.text[start] === 'n') return before
    const written = this.text.slice(start, end)
    const isWhole = /^-?[0-9]{1,19}$/.test(written) && BigInt.asIntN(64, BigInt(written)) === BigInt(written)
    if (isWhole) return Number(written) || 0
    this.refuse(start, at, 'a whole number')
    return before
  }

  /** Whether the value begins with `opening`. Otherwise it is null, which is skipped, or a problem. */
  private is(opening: '{' | '[' | '"', start: number, at: Pointer, wanted: string): boolean {
    if (this.text[start] === opening) return true
    if (this.text[start] !== 'n') this.refuse(start, at, wanted)
    return false
  }

  private refuse(start: number, at: Pointer, wanted: string): void {
    const found =
      own(KINDS, this.text.charAt(start)) ?? (wanted === 'a whole number' ? 'another number' : 'a number')
    this.problem ??= { detail: `${placeText(at)} must be ${wanted}, found ${found}`, at }
  }
}

const KINDS: Readonly<Record<string, string>> = {
  '{': 'an object',
  '[': 'a list',
  '"': 'a text',
  t: 'true',
  f: 'false',
}

function placeText(at: Pointer): string {
  if (at.length === 0) return 'the document'
  return at
    .map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
}
