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

/** A reason that no change has any more would hide another one later. */
export function refuseStale(mutants: readonly Mutant[]): void {
  for (const { file, from, to, above } of ALL) {
    if (above === true) {
      lineOf(file, from)
      continue
    }
    const isThere = mutants.some(
      mutant => mutant.file === file && mutant.from === from && (to ?? mutant.to) === mutant.to,
    )
    if (!isThere) throw gone(file, from)
  }
}

function lineOf(file: string, text: string): number {
  const index = sourceOf(file).split('\n').indexOf(text)
  if (index < 0) throw gone(file, text)
  return index + 1
}

function gone(file: string, text: string): Error {
  return new Error(`Cannot measure the tests: left-out.json names a line that is gone: ${file}: ${text}`)
}
