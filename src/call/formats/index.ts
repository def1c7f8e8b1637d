// The registry of formats for results of cases: one file and one line each.
import { caseJson } from './case-json.ts'
import { caseText } from './case-text.ts'
import type { CaseFormat } from './format.ts'
import { caseJunit } from './junit.ts'

export const CASE_FORMATS: readonly CaseFormat[] = [caseText, caseJson, caseJunit]
