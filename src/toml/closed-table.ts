// Values of a closed TOML document → typed values. A wrong type or an unknown key is a problem with its place.

import { isWrittenWhole } from '../json/parse.ts'
import type { Document, Pointer } from '../model/document.ts'
import { isTable, ownMembers } from '../model/own.ts'
import { isUtcSecond } from '../signature/envelope.ts'
import { anchorString, readAnchor } from '../signature/kinds/index.ts'
import { probablyMeant } from '../text/did-you-mean.ts'
import { isIdentityString, isMeantAsIdentity } from '../trust-policy/identity-string.ts'

/** One problem, and its place. */
export interface TableProblem {
  readonly pointer: Pointer
  readonly part: 'key' | 'value'
  /** Without a full stop. */
  readonly message: string
}

export type Table = { readonly [key: string]: unknown }

/** Collects problems, so that one run reports them all. A wrong value reads as an absent one. */
export class TableReader {
  readonly problems: TableProblem[] = []
  private readonly document: Document
  private readonly dates: ReadonlySet<string>

  constructor(document: Document) {
    this.document = document
    this.dates = new Set(document.dates?.map(pointer => JSON.stringify(pointer)))
  }

  wrong(pointer: Pointer, message: string, part: 'key' | 'value' = 'value'): void {
    this.problems.push({ pointer, part, message })
  }

  /** @param what the expectation, if it is more than a table */
  table(value: unknown, at: Pointer, what = 'it must be a table'): Table {
    if (isTable(value)) return ownMembers(value)
    if (value !== undefined) this.wrong(at, what)
    return ownMembers({})
  }

  /** Refuses every unknown key. */
  closed(table: Table, known: readonly string[], at: Pointer): void {
    for (const key of Object.keys(table)) {
      if (known.includes(key)) continue
      const meant = probablyMeant(key, known)
      const advice = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`
      this.wrong([...at, key], `${key.slice(0, 60)} is not a key here; ${advice}`, 'key')
    }
  }

  list(value: unknown, at: Pointer, what = 'it must be a list'): readonly unknown[] {
    if (Array.isArray(value)) return value
    if (value !== undefined) this.wrong(at, what)
    return []
  }

  /** @param problemOf why a text is not allowed in the list */
  texts(
    value: unknown,
    at: Pointer,
    problemOf: (text: string) => string | undefined,
    what?: string,
  ): string[] {
    const texts: string[] = []
    for (const [index, text] of this.list(value, at, what).entries()) {
      const isText = typeof text === 'string' && this.isQuoted([...at, index])
      const problem = isText ? problemOf(text) : 'it is not a text'
      if (problem === undefined) texts.push(text as string)
      else this.wrong([...at, index], `${JSON.stringify(text).slice(0, 60)}: ${problem}`)
    }
    return texts
  }

  text(value: unknown, at: Pointer): string | undefined {
    if (value === undefined) return undefined
    if (typeof value === 'string' && this.isQuoted(at)) return value
    this.wrong(at, typeof value === 'string' ? 'it must be a text in quotes' : 'it must be a text')
    return undefined
  }

  second(value: unknown, at: Pointer): string | undefined {
    const text = this.text(value, at)
    if (text === undefined || isUtcSecond(text)) return text
    this.wrong(at, 'it must be a UTC second, as "2027-11-20T00:00:00Z"')
    return undefined
  }

  /** A whole number, 1 or more; 1 if it is missing or wrong. */
  count(value: unknown, at: Pointer): number {
    if (value === undefined) return 1
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
      this.wrong(at, 'it must be a whole number, 1 or more')
      return 1
    }
    if (!isWrittenWhole(this.document, at)) this.wrong(at, `it must be written as a whole number: ${value}`)
    return value
  }

  /** Dates are texts here too, and TOML writes them without quotes. */
  isQuoted(at: Pointer): boolean {
    return !this.dates.has(JSON.stringify(at))
  }

  /** An anchor string; undefined if it is invalid, or not in the spelling in which keys are compared. */
  keys(value: unknown, at: Pointer): readonly string[] {
    const read = typeof value === 'string' ? readAnchor(value) : { problem: 'is not a text' }
    const spelled = 'key' in read ? anchorString(read.key) : undefined
    if (spelled !== undefined && spelled === value) return [spelled]
    this.wrong(at, `the key ${'problem' in read ? read.problem : `must be written "${spelled}"`}`)
    return []
  }

  /** An anchor string, or the string of an identity. */
  signers(value: unknown, at: Pointer): readonly string[] {
    if (typeof value === 'string' && isMeantAsIdentity(value)) {
      if (isIdentityString(value)) return [value]
      this.wrong(at, 'it is no identity in the spelling in which identities are compared')
      return []
    }
    return this.keys(value, at)
  }

  flag(value: unknown, at: Pointer): boolean {
    if (typeof value === 'boolean') return value
    if (value !== undefined) this.wrong(at, 'it must be true or false')
    return false
  }
}
