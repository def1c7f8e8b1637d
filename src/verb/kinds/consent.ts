// A yes to what is shown, before it is done: a program gives a function that looks at it, a person `--yes` or an answer.
import { RlpError } from '../../model/error.ts'
import type { At, Input } from '../input.ts'
import type { World } from '../world.ts'
import { callback } from './words.ts'

interface ConsentFacts {
  /** Of the input. */
  readonly name: string
  /** As {@link Input} has it. */
  readonly type: string
  /** What `--yes` is for. */
  readonly describe: string
  /** For a program that has not agreed. */
  readonly look: string
  readonly question: string
  /** What a no means: `nothing was signed`. */
  readonly otherwise: string
  /** For a command line that cannot ask. */
  readonly hint: string
  /** Whether a person who is not asked is told what is done. */
  readonly isTold?: true
}

/** What is about to be done. */
interface Proposal<Shown> {
  /** For messages: `sign "house"`. */
  readonly doing: string
  readonly shown: Shown
  /** The same for a person. */
  readonly title: string
  readonly lines: readonly string[]
}

/** @throws RlpError NEEDS_ANSWER where no one has agreed, CANCELLED for a no */
export type Consent<Shown> = (proposal: Proposal<Shown>) => Promise<void>

type Agrees<Shown> = (shown: Shown) => boolean | Promise<boolean>

/** Only yes is yes. Without an answer it is not done. */
export function consent<Shown>(facts: ConsentFacts): Input<Agrees<Shown>, Consent<Shown>> {
  const { name, type, describe, look } = facts
  const agreedBy =
    (agrees?: Agrees<Shown>): Consent<Shown> =>
    async ({ doing, shown }) => {
      if ((await agrees?.(shown)) === true) return
      throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: ${name} has not agreed to it`, {
        hint: `${look}, and answer true in ${name}`,
      })
    }
  const { fromGiven } = callback<Agrees<Shown>>(type)
  return {
    type,
    typed: { type: 'boolean', flag: 'yes', alias: 'y', describe },
    absent: () => agreedBy(),
    fromTyped:
      (yes: boolean, { world }: At) =>
      proposal =>
        answered(yes, proposal, facts, world),
    fromGiven: async (given, at) => agreedBy(await fromGiven?.(given, at)),
  }
}

/** Asks the person at the terminal, unless they have said yes. @throws RlpError NEEDS_ANSWER where no person can be asked, CANCELLED for a no */
export async function answered(
  yes: boolean,
  { doing, title, lines }: Omit<Proposal<unknown>, 'shown'>,
  { question, otherwise, hint, isTold }: Pick<ConsentFacts, 'question' | 'otherwise' | 'hint' | 'isTold'>,
  { terminal, tell }: Pick<World, 'terminal' | 'tell'>,
): Promise<void> {
  const { askForYes, mayAsk } = await import('../../cli/interactive.ts')
  const asked =
    !yes && terminal && mayAsk(terminal.io, { json: terminal.args.json, nonInteractive: false })
      ? terminal
      : undefined
  if (asked === undefined && isTold) for (const line of [title, ...lines.map(line => `  ${line}`)]) tell(line)
  if (yes) return
  if (asked === undefined)
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: no person can be asked`, { hint })
  const prompter = await asked.open(doing, asked.io)
  prompter.note(lines.join('\n'), title)
  await askForYes(prompter, question, { doing, otherwise, taken: 'yes alone' })
}
