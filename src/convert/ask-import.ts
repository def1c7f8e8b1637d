// Tools that were imported → the files that hold them, with a grant where somebody agrees.
import { isDeepStrictEqual } from 'node:util'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { mayAsk, type OpenPrompter } from '../cli/interactive.ts'
import { askAll } from '../cli/wizard/ask.ts'
import { POLICY_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { type AddedTool, addTools, type NewTool } from '../scaffold/add-tool.ts'
import { grantQuestion } from '../scaffold/wizard/tool-plan.ts'
import type { ImportArgs } from './import-options.ts'
import type { Place } from './import-place.ts'

export interface WrittenImport {
  readonly files: readonly string[]
  /** Whether policy.caps grants now what was missing. */
  readonly isGranted: boolean
}

export const NOT_WRITTEN: WrittenImport = { files: [], isGranted: false }

/** Asks for the grant that is missing, where there is somebody to ask, then writes. */
export async function writeImported(
  place: Place,
  shown: AddedTool,
  tools: readonly NewTool[],
  args: ImportArgs & GlobalArgs,
  io: Io,
  open: OpenPrompter,
): Promise<WrittenImport> {
  const { policy } = shown
  const isGranted =
    place.is === 'agent' &&
    policy !== undefined &&
    (args.grant || (await agrees(shown, place, args, io, open)))
  // Minutes may have gone by: what is written is made from what stands there now.
  const agent = await place.read()
  const plan = addTools(agent, tools)
  if (isGranted && !isDeepStrictEqual(plan.policy, policy)) {
    throw new RlpError(
      'CHANGED_WHILE_READING',
      `Cannot write "${place.label}/${POLICY_FILE}": it changed meanwhile`,
      {
        hint: 'Run the command again',
      },
    )
  }
  return { files: await place.write(agent, plan, isGranted), isGranted }
}

async function agrees(
  { policy }: AddedTool,
  place: Place,
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
