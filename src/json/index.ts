// Well-formed JSON text → the positions of its values and keys. Reads only the containers on the way to a value, and remembers their
// members, so that many findings in one large file cost one pass.
import type { Pointer, Range } from '../model/document.ts'
import { type ContainerEnds, skipSpace } from './scan.ts'

/** One member of an object or element of an array (which has no key). Offsets in UTF-16 code units. */
export interface JsonMember {
  readonly key?: Range
  readonly value: Range
}

/** One container's members. Flat numbers, because a hostile array can have millions of elements. */
interface Members {
  /** Start and end of each value. */
  readonly values: readonly number[]
  /** Start and end of each key; empty for an array. */
  readonly keys: readonly number[]
  readonly byName: ReadonlyMap<string, number>
}

/** Positions in a text that `findJsonProblem` accepted. */
export class JsonIndex {
  private readonly text: string
  private readonly ends: ContainerEnds | undefined
  private readonly whole: Range
  private readonly opened = new Map<number, Members>()

  /** @param ends recorded by the judging pass; without it everything on the way is read again */
  constructor(text: string, ends?: ContainerEnds) {
    this.text = text
    this.ends = ends
    const start = skipSpace(text, 0)
    this.whole = { start, end: this.endAt(start) }
  }

  /** The document's one value. */
  root(): JsonMember {
    return { value: this.whole }
  }

  /** The member at `pointer`, or its nearest existing ancestor; `depth` is the number of steps that led to it. */
  find(pointer: Pointer): { readonly member: JsonMember; readonly depth: number } {
    let member = this.root()
    for (const [depth, step] of pointer.entries()) {
      const { start } = member.value
      const members = this.members(start)
      const isArray = this.text[start] === '['
      const index = isArray ? toIndex(step) : members.byName.get(String(step))
      const next = index === undefined ? undefined : memberAt(members, index)
      if (next === undefined) return { member, depth }
      member = next
    }
    return { member, depth: pointer.length }
  }

  /** All members of the container that begins at `start`, in the order of the text. */
  all(start: number): JsonMember[] {
    const members = this.members(start)
    return members.values.flatMap((_, at) => memberAt(members, at) ?? [])
  }

  private members(start: number): Members {
    const found = this.opened.get(start) ?? this.collect(start)
    this.opened.set(start, found)
    return found
  }

  /** The members of the container that begins at `start`; none if the value is not a container. */
  private collect(start: number): Members {
    const { text } = this
    const [values, keys]: [number[], number[]] = [[], []]
    const byName = new Map<string, number>()
    const isObject = text[start] === '{'
    if (!isObject && text[start] !== '[') return { values, keys, byName }
    let at = skipSpace(text, start + 1)
    while (text[at] !== '}' && text[at] !== ']') {
      if (isObject) {
        const end = endOfString(text, at)
        byName.set(JSON.parse(text.slice(at, end)), values.length / 2)
        keys.push(at, end)
        at = skipSpace(text, skipSpace(text, end) + 1)
      }
      const end = this.endAt(at)
      values.push(at, end)
      at = skipSpace(text, end)
      if (text[at] === ',') at = skipSpace(text, at + 1)
    }
    return { values, keys, byName }
  }

  private endAt(start: number): number {
    const c = this.text.charCodeAt(start)
    const noted = c === 123 || c === 91 ? this.ends?.endOf(start) : undefined
    return noted ?? endOfValue(this.text, start)
  }
}

function memberAt(members: Members, index: number): JsonMember | undefined {
  const value = rangeAt(members.values, index)
  const key = rangeAt(members.keys, index)
  return value && (key ? { key, value } : { value })
}

function rangeAt(flat: readonly number[], index: number): Range | undefined {
  const start = flat[index * 2]
  const end = flat[index * 2 + 1]
  return start === undefined || end === undefined ? undefined : { start, end }
}

function toIndex(step: string | number): number | undefined {
  if (typeof step === 'number') return step
  return /^(?:0|[1-9][0-9]{0,8})$/.test(step) ? Number(step) : undefined
}

/** Unlike `stringEnd` this does not check: the text is known to be well-formed. */
export function endOfString(text: string, open: number): number {
  let at = open + 1
  while (at < text.length) {
    const c = text.charCodeAt(at)
    if (c === 34) return at + 1
    at += c === 92 ? 2 : 1
  }
  return at
}

/** The offset after the value at `start` of a well-formed text. */
export function endOfValue(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const c = text.charCodeAt(at)
    if (c === 34) {
      at = endOfString(text, at)
      if (depth === 0) return at
    } else if (c === 123 || c === 91) {
      depth++
      at++
    } else if (c === 125 || c === 93) {
      if (depth === 0) return at
      depth--
      at++
      if (depth === 0) return at
    } else {
      if (depth === 0 && (c === 44 || c === 32 || c === 10 || c === 13 || c === 9)) return at
      at++
    }
  }
  return at
}
