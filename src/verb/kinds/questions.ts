// Whether a command may put questions. A program is asked nothing.
import { NON_INTERACTIVE } from '../../cli/interactive.ts'
import { type Input, typedOnly } from '../input.ts'
import { whether } from './words.ts'

export const nonInteractive: Input<never, boolean> = typedOnly(whether(NON_INTERACTIVE.describe))
