// The function of the library that does what a command does: called with what a line of test/support/every-command.ts says.
import { AUTHOR_ANSWERS } from './author.ts'
import { CALL_ANSWERS } from './call.ts'
import { INSTALL_ANSWERS } from './install.ts'
import type { AnswerOf } from './line.ts'
import { REGISTRY_ANSWERS } from './registry.ts'
import { TRUST_ANSWERS } from './trust.ts'

/** By the name of the command. */
export const ANSWERS: Readonly<Record<string, AnswerOf>> = {
  ...AUTHOR_ANSWERS,
  ...CALL_ANSWERS,
  ...INSTALL_ANSWERS,
  ...REGISTRY_ANSWERS,
  ...TRUST_ANSWERS,
}
