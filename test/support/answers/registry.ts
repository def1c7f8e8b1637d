// What the functions answer that sign, keep keys, state evidence, and exchange bundles with registries.
import type { AnswerOf } from './line.ts'

export const REGISTRY_ANSWERS: Readonly<Record<string, AnswerOf>> = {}
