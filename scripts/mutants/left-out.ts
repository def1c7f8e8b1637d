// Changes that are left out, with the reason: they change nothing that a caller can see, or nothing that this judge speaks of.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './operators.ts'
import { ROOT, sourceOf } from './rooms.ts'

interface LeftOut {
  readonly file: string
  readonly from: string
  /** Missing: every change of this line. */
  readonly to?: string
  /** Instead: every change above this line. */
  readonly above?: true
  readonly why: string
}

const ALL = JSON.parse(readFileSync(join(ROOT, 'scripts/mutants/left-out.json'), 'utf8')) as LeftOut[]

export function isLeftOut({ file, line, from, to }: Mutant): boolean {
  return ALL.some(one => {
    if (one.file !== file) return false
    if (one.above === true) return line < lineOf(file, one.from)
    return one.from === from && (one.to ?? to) === to
  })
}

/** Entries that no change has any more: a reason for a line that is gone would hide another one later. */
export function staleAmong(mutants: readonly Mutant[]): string[] {
  return ALL.filter(({ file, from, to, above }) => {
    if (above === true) return lineOf(file, from) === 0
    return !mutants.some(one => one.file === file && one.from === from && (to ?? one.to) === one.to)
  }).map(({ file, from }) => `${file}: ${from}`)
}

/** 0 if there is no such line. */
function lineOf(file: string, text: string): number {
  return sourceOf(file).split('\n').indexOf(text) + 1
}
