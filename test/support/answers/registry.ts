// What the functions answer that sign, keep keys, state evidence, and exchange bundles with registries.
import { listVersions } from '../../../src/index.ts'
import type { AnswerOf } from './line.ts'

/** Of `agent list` with a reference. */
export const listStoredAnswer: AnswerOf = ({ cwd, args: [from = ''], env }) =>
  listVersions(from, { cwd, env })

export const REGISTRY_ANSWERS: Readonly<Record<string, AnswerOf>> = {}
