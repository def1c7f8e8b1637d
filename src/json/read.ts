// A parsed JSON value → a typed one, or the place of the wrong value. For closed documents that rlp itself writes.
import { ownMembers } from '../model/own.ts'

/** The place of a wrong value, and the reason. */
export class ReadProblem extends Error {
  override readonly name = 'ReadProblem'
}

/** @param at the place, in words for the problem. @throws ReadProblem */
export type Read<T> = (value: unknown, at: string) => T

/** An object with exactly these members; `?` marks an optional one. */
export function closed(
  value: unknown,
  at: string,
  members: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ReadProblem(`${at} is no object`)
  const known = new Set(members.map(member => member.replace(/\?$/, '')))
  for (const name of Object.keys(value))
    if (!known.has(name)) throw new ReadProblem(`${at} has the unknown member ${JSON.stringify(name)}`)
  for (const member of members) {
    if (!member.endsWith('?') && !Object.hasOwn(value, member))
      throw new ReadProblem(`${at}.${member} is missing`)
  }
  // Of its own members alone: an optional one that is not there is not that of a prototype.
  return ownMembers(value) as Readonly<Record<string, unknown>>
}

export const text: Read<string> = (value, at) => {
  if (typeof value === 'string') return value
  throw new ReadProblem(`${at} is no text`)
}

export const flag: Read<boolean> = (value, at) => {
  if (typeof value === 'boolean') return value
  throw new ReadProblem(`${at} is neither true nor false`)
}

/** A text of a given form; `problem` ends a sentence that begins with the place. */
export function matching(pattern: RegExp, problem: string): Read<string> {
  return (value, at) => {
    if (typeof value === 'string' && pattern.test(value)) return value
    throw new ReadProblem(`${at} ${problem}`)
  }
}

export function wordOf<const W extends string>(words: readonly W[]): Read<W> {
  return (value, at) => {
    const word = words.find(word => word === value)
    if (word !== undefined) return word
    throw new ReadProblem(`${at} is not one of ${words.join(', ')}`)
  }
}

export function list<T>(item: Read<T>): Read<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw new ReadProblem(`${at} is no list`)
    return value.map((one, index) => item(one, `${at}[${index}]`))
  }
}

/** `true` for everything, or a list of texts. */
export const listOrAll: Read<true | readonly string[]> = (value, at) =>
  value === true ? true : list(text)(value, at)
