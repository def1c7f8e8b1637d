// Imported tools → the files that hold them, with a grant if the user agrees.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { mayAsk, type OpenPrompter } from '../cli/interactive.ts'
import { askAll } from '../cli/wizard/ask.ts'
import type { AddedTool, NewTool } from '../scaffold/add-tool.ts'
import { grantQuestion } from '../scaffold/wizard/tool-plan.ts'
import type { ImportArgs } from './import-options.ts'
import type { ImportPlace } from './import-place.ts'
import { type WrittenImport, writeGranted } from './write-import.ts'

/** Asks for the missing grant, if a person can be asked, then writes. */
export async function writeImported(
  place: ImportPlace,
  shown: AddedTool,
  tools: readonly NewTool[],
  args: ImportArgs & GlobalArgs,
  io: Io,
  open: OpenPrompter,
): Promise<WrittenImport> {
  return writeGranted(
    place,
    shown,
    tools,
    async () => args.grant || (await agrees(shown, place, args, io, open)),
  )
}

async function agrees(
  { policy }: AddedTool,
  place: ImportPlace,
  args: ImportArgs & GlobalArgs,
  io: Io,
  open: OpenPrompter,
): Promise<boolean> {
  if (policy === undefined || !mayAsk(io, args)) return false
  const prompter = await open(`import tools into "${place.label}"`, io)
  prompter.intro(`New tools for ${place.label}`)
  const answers = await askAll(() => [grantQuestion(policy)], prompter)
  prompter.outro('Writing')
  return answers.get('grant') === 'yes'
}
