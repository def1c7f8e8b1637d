// A tool that wants a person's yes → the person's answer.
import type { Confirm, Question } from '../calling/context.ts'
import { RlpError } from '../model/error.ts'
import type { GlobalArgs, Io } from './command.ts'
import { mayAsk, type OpenPrompter } from './interactive.ts'
import { planLines } from './render/plan.ts'
import { printable } from './render/sanitize.ts'
import { YES_NO } from './wizard/question.ts'

/** Lines of arguments that are shown: more would push the question off the screen. */
const MOST_LINES = 40

/** @param args `yes` has answered already */
export function confirmOn(
  io: Io,
  args: Pick<GlobalArgs, 'json'> & { readonly yes: boolean },
  open: OpenPrompter,
): Confirm {
  if (args.yes) return async () => 'approved'
  if (!mayAsk(io, { json: args.json, nonInteractive: false })) return async () => 'nobody'
  return async (question, signal) => {
    try {
      const prompter = await open(`call ${printable(question.tool.id, 100)}`, { ...io, signal })
      prompter.note(
        linesOf(question).join('\n'),
        printable(`${question.tool.id} of ${question.agent.name}`, 100),
      )
      const reply = await prompter.choose({ message: 'Run it?', choices: YES_NO, fallback: 'no' })
      return reply === 'yes' ? 'approved' : 'declined'
    } catch (error) {
      // Ctrl-C and Escape at the question are an answer too.
      if (!(error instanceof RlpError) || error.code !== 'CANCELLED') throw error
      return signal.aborted ? 'cancelled' : 'declined'
    }
  }
}

function linesOf({ tool, agent, plan, arguments: given }: Question): string[] {
  const shown = (JSON.stringify(given, null, 2) ?? '').split('\n').map(line => printable(line, 200))
  const cut =
    shown.length > MOST_LINES
      ? [...shown.slice(0, MOST_LINES), `… ${shown.length - MOST_LINES} more lines`]
      : shown
  return [
    printable(tool.description, 200),
    agent.bundle === null
      ? 'of a folder that nobody has verified'
      : `manifest blake3:${agent.bundle.slice(0, 16)}…`,
    ...planLines(plan),
    'with the arguments',
    ...cut,
  ]
}
