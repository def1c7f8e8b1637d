// How the person at a terminal is asked, unless --non-interactive forbids it. A program is asked nothing.
import { mayAsk, NON_INTERACTIVE } from '../../cli/interactive.ts'
import type { Prompter } from '../../cli/wizard/question.ts'
import type { At, Input } from '../input.ts'

/** @param doing for messages: `add a tool to "mailer"` */
export type AskPerson = (doing: string) => Promise<Prompter>

/** Undefined where no person may be asked. */
export const asking: Input<never, AskPerson | undefined> = {
  typed: { ...NON_INTERACTIVE, flag: 'non-interactive' },
  fromTyped(nonInteractive: boolean, { world: { terminal } }: At) {
    if (terminal === undefined || !mayAsk(terminal.io, { ...terminal.args, nonInteractive })) return undefined
    return doing => terminal.open(doing, terminal.io)
  },
}
