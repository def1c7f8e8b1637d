// Well-formed JSON text → the positions of its values and keys. Reads only the containers on the way to a value, each only as far as to the
// wanted member, and remembers what was read, so that many findings in one large file cost one pass.
import type { Pointer, Range } from '../model/document.ts'
import { skipSpace } from './scan.ts'

/** One member of an object or element of an array (which has no key). Offsets in UTF-16 code units. */
export interface JsonMember {
  readonly key?: Range
  readonly value: Range
}

/** The members of one container, read as far as they were asked for. Flat numbers, because a hostile array can have millions of elements. */
class Members {
  readonly isArray: boolean
  readonly #text: string
  readonly #isStrict: boolean
  readonly #ends: ContainerEnds
  /** Start and end of each value. */
  readonly #values: number[] = []
  /** Start and end of each key; empty for an array. */
  readonly #keys: number[] = []
  readonly #byName = new Map<string, number>()
  /** Where the next member begins; undefined after the last one. */
  #next: number | undefined

  /** @param start of the container; another value has no members */
  constructor(text: string, isStrict: boolean, ends: ContainerEnds, start: number) {
    const isObject = text[start] === '{'
    this.isArray = text[start] === '['
    this.#text = text
    this.#isStrict = isStrict
    this.#ends = ends
    this.#next = isObject || this.isArray ? this.#begins(start + 1) : undefined
  }

  at(index: number): JsonMember | undefined {
    while (this.#next !== undefined && this.#values.length <= index * 2) this.#read(this.#next)
    const value = rangeAt(this.#values, index)
    const key = rangeAt(this.#keys, index)
    return value && (key ? { key, value } : { value })
  }

  /** Of a key that is there twice the last one, which is the one that counts for `JSON.parse`. */
  named(name: string): JsonMember | undefined {
    while (this.#next !== undefined && !(this.#isStrict && this.#byName.has(name))) this.#read(this.#next)
    const index = this.#byName.get(name)
    return index === undefined ? undefined : this.at(index)
  }

  #read(start: number): void {
    const text = this.#text
    let at = start
    if (!this.isArray) {
      const end = endOfString(text, at)
      this.#byName.set(JSON.parse(text.slice(at, end)), this.#values.length / 2)
      this.#keys.push(at, end)
      at = skipSpace(text, skipSpace(text, end) + 1)
    }
    const end = this.#ends.after(at)
    this.#values.push(at, end)
    const after = skipSpace(text, end)
    this.#next = text[after] === ',' ? this.#begins(after + 1) : undefined
  }

  #begins(from: number): number | undefined {
    const at = skipSpace(this.#text, from)
    return this.#text[at] === '}' || this.#text[at] === ']' ? undefined : at
  }
}

/** Shorter ones are not noted: reading them is faster. In UTF-16 code units. */
const LARGE = 256

/**
 * Where the large lists and objects of a text end. All are noted in one pass, when the first one is passed over: each would be read again for every
 * level that it is in.
 */
class ContainerEnds {
  readonly #text: string
  /** Ascending. */
  #starts: number[] | undefined
  readonly #ends: number[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** The offset after the value at `start`. */
  after(start: number): number {
    const c = this.#text.charCodeAt(start)
    return (c === 123 || c === 91 ? this.#noted(start) : undefined) ?? endOfValue(this.#text, start)
  }

  #noted(start: number): number | undefined {
    this.#starts ??= this.#note()
    let [low, high] = [0, this.#starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] ?? 0) < start) low = middle + 1
      else high = middle
    }
    return this.#starts[low] === start ? this.#ends[low] : undefined
  }

  #note(): number[] {
    const text = this.#text
    const starts: number[] = []
    const ends = this.#ends
    /** The indexes of those that are open. */
    const open: number[] = []
    for (let at = 0; at < text.length; at++) {
      const c = text.charCodeAt(at)
      if (c === 34) at = endOfString(text, at) - 1
      else if (c === 123 || c === 91) {
        open.push(starts.length)
        starts.push(at)
        ends.push(at)
      } else if (c === 125 || c === 93) {
        const index = open.pop() ?? 0
        if (at + 1 - (starts[index] ?? 0) >= LARGE) ends[index] = at + 1
        else {
          // A small one contains no large one, so it is the last.
          starts.pop()
          ends.pop()
        }
      }
    }
    return starts
  }
}

/** Positions in a well-formed text. */
export class JsonIndex {
  readonly #text: string
  readonly #isStrict: boolean
  readonly #start: number
  readonly #ends: ContainerEnds
  readonly #opened = new Map<number, Members>()

  /** @param isStrict whether strict reading has accepted the text, so that no key is there twice */
  constructor(text: string, isStrict = false) {
    this.#text = text
    this.#isStrict = isStrict
    this.#ends = new ContainerEnds(text)
    this.#start = skipSpace(text, 0)
  }

  /** The document's one value. */
  root(): JsonMember {
    return { value: { start: this.#start, end: this.#ends.after(this.#start) } }
  }

  /** The member at `pointer`, or its nearest existing ancestor; `depth` is the number of steps that led to it. */
  find(pointer: Pointer): { readonly member: JsonMember; readonly depth: number } {
    let member: JsonMember | undefined
    for (const [depth, step] of pointer.entries()) {
      const members = this.#members(member?.value.start ?? this.#start)
      const index = members.isArray ? toIndex(step) : undefined
      const next = members.isArray ? index !== undefined && members.at(index) : members.named(String(step))
      if (!next) return { member: member ?? this.root(), depth }
      member = next
    }
    return { member: member ?? this.root(), depth: pointer.length }
  }

  /** All members of the container that begins at `start`, in the order of the text. */
  all(start: number): JsonMember[] {
    const members = this.#members(start)
    const found: JsonMember[] = []
    for (let one = members.at(0); one !== undefined; one = members.at(found.length)) found.push(one)
    return found
  }

  #members(start: number): Members {
    const opened = this.#opened.get(start) ?? new Members(this.#text, this.#isStrict, this.#ends, start)
    this.#opened.set(start, opened)
    return opened
  }
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
