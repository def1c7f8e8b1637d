// When a command may ask, and the words that every wizard begins and ends with.
import { RlpError } from '../model/error.ts'
import { UsageError } from '../model/usage-error.ts'
import type { GlobalArgs, Io } from './command.ts'
import { BACK, type Note, type Prompter, type Question, YES_NO } from './wizard/question.ts'

/** Whether a person can be asked: both ends are terminals, and no option says that a program reads along. */
export function mayAsk(
  io: Io,
  args: Pick<GlobalArgs, 'json'> & { readonly nonInteractive: boolean },
): boolean {
  return io.isTTY.stdin && io.isTTY.stdout && !args.json && !args.nonInteractive
}

/** Opens the prompter that asks questions; tests pass another one. */
export type OpenPrompter = (doing: string, io: Io) => Promise<Prompter>

/** The real terminal, loaded only if something is asked. */
export const openTerminal: OpenPrompter = async (doing, io) => {
  // Whatever is written takes away how far the work is: a question must not begin behind it.
  io.stderr('')
  if (io.env['TERM'] === 'dumb') {
    const { createLinePrompter } = await import('./line-prompter.ts')
    return createLinePrompter(doing, io)
  }
  const { createPrompter } = await import('./prompt.ts')
  return createPrompter({ doing, signal: io.signal, color: io.color })
}

export const NON_INTERACTIVE = { type: 'boolean', describe: 'ask nothing, even on a terminal' } as const

export const HOW_TO_ANSWER =
  'Enter takes what is shown, - means none, < goes back, Ctrl-C stops. Nothing is written before the end.'

/** What will be written, for the last question. */
export interface WritePlan {
  readonly note: Note
  readonly isBlocked: boolean
  /** The id of the question whose answer is at fault, if one of them is. */
  readonly fault?: string | undefined
}

/** The last question: what will be written, and whether to write it. With a problem the only choice is to go back. */
export function writeQuestion(plan: WritePlan | undefined): Question {
  const choices = plan?.isBlocked ? [{ value: 'no', label: 'No, stop here' }] : YES_NO
  return {
    kind: 'choice',
    id: 'write',
    message: plan?.isBlocked ? 'This cannot be written. Go back and change an answer?' : 'Write this?',
    choices,
    fallback: plan?.isBlocked ? BACK : 'yes',
    ...{ backTo: plan?.fault, before: plan?.note },
  }
}

/**
 * Asks whether files may be replaced, after what will become of them was shown.
 * @param prompter undefined if no person can be asked
 * @throws UsageError if none can, RlpError CANCELLED for a no
 */
export async function askToReplace(
  files: readonly string[],
  doing: string,
  prompter: Prompter | undefined,
): Promise<void> {
  const what = files.length === 1 ? files[0] : `${files.length} files`
  if (prompter === undefined) {
    throw new UsageError(`Cannot ${doing}: ${what} would be replaced, and no person can be asked`, {
      hint: 'Look at the diff, then add --yes',
    })
  }
  const message = `Replace ${what}?`
  const answer = await prompter.choose({ message, choices: YES_NO, fallback: 'no' })
  if (answer !== 'yes') throw refusedToWrite(doing)
}

/**
 * Asks for a yes to what is shown.
 * @param otherwise what a no means: `nothing was signed`
 * @throws RlpError CANCELLED for anything but a yes
 */
export async function askForYes(
  prompter: Prompter,
  message: string,
  { doing, otherwise }: { readonly doing: string; readonly otherwise: string },
): Promise<void> {
  if ((await prompter.choose({ message, choices: YES_NO, fallback: 'no' })) === 'yes') return
  throw new RlpError('CANCELLED', `Cannot ${doing}: the question was answered with no, and ${otherwise}`)
}

/** The last question was answered with no. */
export function refusedToWrite(doing: string): RlpError {
  return new RlpError(
    'CANCELLED',
    `Cannot ${doing}: the last question was answered with no, and nothing was written`,
  )
}
