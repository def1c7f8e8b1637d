// Decides when a command may ask a person, and holds the words that every wizard begins and ends with. A prompt is loaded for a question
// alone.
import { RlpError, UsageError } from '../model/error.ts'
import { printable } from '../text/printable.ts'
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
    backTo: plan?.fault,
    before: plan?.note,
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
  if (!(await saysYes(prompter, `Replace ${what}?`))) throw refusedToWrite(doing)
}

/** Which lines mean yes, without regard to case and blanks around them. */
const YES = { 'y or yes': ['y', 'yes'], 'yes alone': ['yes'] } as const

/** `yes alone` is for a signature and for what cannot be undone. */
export type TakenAsYes = keyof typeof YES

/**
 * Asks a question whose answer is one line. Only yes is yes; any other line is no, and this is said unless the line is one of the words
 * for no.
 */
export async function saysYes(
  prompter: Prompter,
  question: string,
  taken: TakenAsYes = 'y or yes',
): Promise<boolean> {
  const typed = (await prompter.line(`${question} ${taken === 'y or yes' ? '[y/N]' : '[yes/N]'}`)).trim()
  const words: readonly string[] = YES[taken]
  if (words.includes(typed.toLowerCase())) return true
  if (!['', 'n', 'no'].includes(typed.toLowerCase()))
    prompter.info(`"${printable(typed, 40)}" is not yes, so the answer is no`)
  return false
}

/**
 * Asks for a yes to what is shown.
 * @param otherwise what a no means: `nothing was signed`
 * @throws RlpError CANCELLED for anything but a yes
 */
export async function askForYes(
  prompter: Prompter,
  question: string,
  {
    doing,
    otherwise,
    taken,
  }: { readonly doing: string; readonly otherwise: string; readonly taken?: TakenAsYes },
): Promise<void> {
  if (await saysYes(prompter, question, taken)) return
  throw new RlpError('CANCELLED', `Cannot ${doing}: the question was answered with no, and ${otherwise}`)
}

/** The last question was answered with no. */
export function refusedToWrite(doing: string): RlpError {
  return new RlpError(
    'CANCELLED',
    `Cannot ${doing}: the last question was answered with no, and nothing was written`,
  )
}

interface Asking {
  /** For the message: `log in`. */
  readonly doing: string
  /** What is asked for: `password`. */
  readonly what: string
  /** How it is given without a person. */
  readonly hint: string
}

/** @throws RlpError NEEDS_ANSWER where no person can be asked */
export async function openSecretPrompt(io: Io, { doing, what, hint }: Asking) {
  if (!io.isTTY.stdin || !io.isTTY.stderr)
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: no person can be asked for the ${what}`, { hint })
  const prompt = await import('./secret-prompt.ts')
  // Whatever is written takes away how far the work is: a question must not begin behind it.
  io.stderr('')
  return prompt
}
