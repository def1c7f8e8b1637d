// A tool that needs a confirmation → the person's answer.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { mayAsk, type OpenPrompter, saysYes } from '../cli/interactive.ts'
import { RlpError } from '../model/error.ts'
import { printable } from '../text/printable.ts'
import { questionPages } from './ask-pages.ts'
import type { Confirm } from './context.ts'

/** Columns that a note's frame takes. */
const FRAME = 8

/** @param args `asks`: false approves without a question */
export function confirmOn(
  io: Io,
  args: Pick<GlobalArgs, 'json'> & { readonly asks: boolean },
  open: OpenPrompter,
): Confirm {
  if (!args.asks) return async () => 'approved'
  if (!mayAsk(io, { json: args.json, nonInteractive: false })) return async () => 'nobody'
  return async (question, signal) => {
    try {
      const prompter = await open(`call ${printable(question.tool.id, 100)}`, { ...io, signal })
      const title = printable(`${question.tool.id} of ${question.agent.name}`, 100)
      const pages = questionPages(question, io.columns - FRAME, io.rows)
      if (pages === undefined) {
        prompter.advice(
          `${title}: the call is too long to be read here, so it cannot be confirmed here; --yes confirms it`,
        )
        return 'declined'
      }
      for (const [index, page] of pages.entries()) {
        const which = pages.length === 1 ? '' : ` (page ${index + 1} of ${pages.length})`
        prompter.note(page.join('\n'), title + which)
        if (index + 1 === pages.length) break
        const more = (await prompter.line('Show the next page? [Y/n]')).trim()
        if (!/^(?:y|yes)?$/i.test(more)) return 'declined'
      }
      return (await saysYes(prompter, 'Run it?')) ? 'approved' : 'declined'
    } catch (error) {
      // Ctrl-C and Escape at the question mean no.
      if (!(error instanceof RlpError) || error.code !== 'CANCELLED') throw error
      return signal.aborted ? 'cancelled' : 'declined'
    }
  }
}
