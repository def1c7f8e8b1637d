// What the questions about a new agent depend on, beside the answers.
import type { Files } from '../../model/files.ts'

/** What is known from the command line before the first question. */
export interface ScaffoldContext {
  readonly name: string
  /** The value of an empty answer, if an option has set it. */
  readonly description: string | undefined
  readonly model: string | undefined
  readonly modelSecret: string | undefined
  /** The current content of the folder, with --force. */
  readonly existing: Files | undefined
}
