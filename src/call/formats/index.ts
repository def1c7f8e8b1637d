// The registry of formats for results of cases: one file and one line each.
import { caseJson } from './case-json.ts'
import { caseText } from './case-text.ts'
import type { CaseFormat } from './format.ts'
import { caseJunit } from './junit.ts'

const CASE_FORMATS = [caseText, caseJson, caseJunit] as const satisfies readonly CaseFormat[]

export const CASE_FORMAT_NAMES: readonly string[] = CASE_FORMATS.map(({ name }) => name)

/** The first one is for people, and is taken where none was named. */
export function caseFormatOf(name: string | undefined): CaseFormat {
  return CASE_FORMATS.find(one => one.name === name) ?? caseText
}
