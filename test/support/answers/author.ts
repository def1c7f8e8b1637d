// What the functions answer that write agents: scaffold, init, version, lint, digest, pack, and edit, import and export their tools.
import type { AnswerOf } from './line.ts'

export const AUTHOR_ANSWERS: Readonly<Record<string, AnswerOf>> = {}
