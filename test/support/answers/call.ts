// What the functions answer that call tools, and look at bundles.
import type { AnswerOf } from './line.ts'

export const CALL_ANSWERS: Readonly<Record<string, AnswerOf>> = {}
