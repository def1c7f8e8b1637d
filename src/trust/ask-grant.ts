// The question whether a signer may grant a rule: a person has to review what a bundle proposes, and what is wide.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { mayAsk, type OpenPrompter, refusedToWrite, saysYes } from '../cli/interactive.ts'
import { RlpError } from '../model/error.ts'

/** @param shown the change, and what follows from it */
export async function confirmed(
  shown: readonly string[],
  { name, why }: { readonly name: string; readonly why: string },
  { json }: GlobalArgs,
  io: Io,
  open: OpenPrompter,
): Promise<void> {
  const doing = `add "${name}"`
  if (!mayAsk(io, { json, nonInteractive: false })) {
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: ${why}, and no person can be asked`, {
      hint: 'Look at it with --dry-run, then repeat with --yes',
    })
  }
  const prompter = await open(doing, io)
  prompter.note(shown.join('\n'), 'What is written, and what follows')
  if (!(await saysYes(prompter, 'Let the signer grant this?'))) throw refusedToWrite(doing)
}
