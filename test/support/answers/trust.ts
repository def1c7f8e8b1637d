// What the functions answer that edit and judge by trust policies, and keep channels.
import type { AnswerOf } from './line.ts'

export const TRUST_ANSWERS: Readonly<Record<string, AnswerOf>> = {}
