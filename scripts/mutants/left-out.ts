// Changes that are left out, with the reason: they change nothing that a caller can see, or nothing that this judge speaks of.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './operators.ts'
import { ROOT, sourceOf } from './rooms.ts'

/** What is said in words, or written for people: members and functions of this name, in every file of a folder. */
interface LeftOutIn {
  readonly folder: string
  readonly within: readonly string[]
  readonly why: string
}

interface LeftOut {
  readonly file: string
  readonly from: string
  /** Missing: every change of this line. */
  readonly to?: string
  /** Instead: every change above this line. */
  readonly above?: true
  readonly why: string
}

const READ = JSON.parse(readFileSync(join(ROOT, 'scripts/mutants/left-out.json'), 'utf8')) as (
  | LeftOut
  | LeftOutIn
)[]
const ALL = READ.flatMap(one => ('within' in one ? [] : one))
const MEMBERS = READ.flatMap(one => ('within' in one ? one : []))

export function isLeftOut({ file, line, from, to }: Mutant): boolean {
  const name = enclosing(file, line)
  if (MEMBERS.some(({ folder, within }) => file.startsWith(folder) && within.includes(name))) return true
  return ALL.some(one => {
    if (one.file !== file) return false
    if (one.above === true) return line < lineOf(file, one.from)
    return one.from === from && (one.to ?? to) === to
  })
}

/** The function that a line is in, or the member of an object. */
function enclosing(file: string, line: number): string {
  const above = sourceOf(file).split('\n').slice(0, line).reverse()
  let member: string | undefined
  for (const text of above) {
    const [, kind, name = ''] = /^(?:export )?(?:async )?(function\*?|const) (\w+)/.exec(text) ?? []
    if (kind !== undefined) return kind === 'const' ? (member ?? name) : name
    member ??= /^ {2}(\w+)[:(]/.exec(text)?.[1]
  }
  return ''
}

/** Entries that no change has any more: a reason for a line that is gone would hide another one later. */
export function staleAmong(mutants: readonly Mutant[]): string[] {
  const gone = MEMBERS.flatMap(({ folder, within }) =>
    within
      .filter(
        name => !mutants.some(({ file, line }) => file.startsWith(folder) && enclosing(file, line) === name),
      )
      .map(name => `${folder}: ${name}`),
  )
  const lines = ALL.filter(({ file, from, to, above }) => {
    if (above === true) return lineOf(file, from) === 0
    return !mutants.some(one => one.file === file && one.from === from && (to ?? one.to) === one.to)
  }).map(({ file, from }) => `${file}: ${from}`)
  return [...gone, ...lines]
}

/** 0 if there is no such line. */
function lineOf(file: string, text: string): number {
  return sourceOf(file).split('\n').indexOf(text) + 1
}
