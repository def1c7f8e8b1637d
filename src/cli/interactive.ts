// When a command may ask, and the words that every wizard begins and ends with.
import type { GlobalArgs, Io } from './command.ts'
import { type Note, type Question, YES_NO } from './wizard/question.ts'

/** Whether there is a person to ask: both ends are terminals, and nobody has said that a program reads along. */
export function mayAsk(
  io: Io,
  args: Pick<GlobalArgs, 'json'> & { readonly nonInteractive: boolean },
): boolean {
  return io.isTTY.stdin && io.isTTY.stdout && !args.json && !args.nonInteractive
}

export const NON_INTERACTIVE = { type: 'boolean', describe: 'ask nothing, even on a terminal' } as const

export const HOW_TO_ANSWER =
  'Enter takes what is shown, - means none, < goes back, Ctrl-C stops. Nothing is written before the end.'

/** The last question: what will be written, and whether it may be. With a problem there is only the way back. */
export function writeQuestion(
  plan: { readonly note: Note; readonly isBlocked: boolean } | undefined,
): Question {
  const choices = plan?.isBlocked ? [{ value: 'no', label: 'No, stop here' }] : YES_NO
  return {
    kind: 'choice',
    id: 'write',
    message: plan?.isBlocked ? 'This cannot be written. Go back and change an answer?' : 'Write this?',
    choices,
    fallback: plan?.isBlocked ? 'no' : 'yes',
    ...(plan && { before: plan.note }),
  }
}
