// A command line that cannot be carried out, with the argument at fault.
import { RlpError } from './error.ts'

/** `USAGE`, and which argument is wrong. Shown with a pointer to the command's `--help`. */
export class UsageError extends RlpError {
  override readonly name: string = 'UsageError'
  /** The option without dashes, or the positional's name. */
  readonly field: string | undefined
  /** What the argument should look like. */
  readonly expected: string | undefined

  constructor(
    message: string,
    details: { hint?: string | undefined; field?: string; expected?: string } = {},
  ) {
    super('USAGE', message, { hint: details.hint })
    this.field = details.field
    this.expected = details.expected
  }
}
