// What the functions answer that install, list and remove agents, and keep locks.
import { lockRemove } from '../../../src/index.ts'
import type { AnswerOf } from './line.ts'

export const INSTALL_ANSWERS: Readonly<Record<string, AnswerOf>> = {
  'lock remove': ({ cwd }) => lockRemove(['mailer'], { cwd, dryRun: true }),
}
