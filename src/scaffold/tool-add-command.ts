// rlp tool add: adds a tool to an agent's tools.json, and, if the user agrees, its grants to policy.caps.
import { isDeepStrictEqual } from 'node:util'
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import {
  HOW_TO_ANSWER,
  mayAsk,
  NON_INTERACTIVE,
  type OpenPrompter,
  openTerminal,
  refusedToWrite,
} from '../cli/interactive.ts'
import type { OptionTable } from '../cli/option.ts'
import { report } from '../cli/render/report.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import { askAll } from '../cli/wizard/ask.ts'
import type { Answers } from '../cli/wizard/question.ts'
import type { Target } from '../io/find/find-agents.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { type Agent, POLICY_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { Tool } from '../model/tools.ts'
import { type AddedTool, addTools, refuseTaken, refuseUnreadable, stated } from './add-tool.ts'
import { AGENT, findAgent } from './one-agent-options.ts'
import { notGrantedWarning, renderAddedTool } from './render-changed.ts'
import { answersOf, extrasOf, refuseUnlisted, TOOL_OPTIONS } from './tool-options.ts'
import { renderCommandLine, toolAddLine } from './wizard/command-line.ts'
import { type AddContext, addQuestions } from './wizard/tool-plan.ts'
import { schemaFilesOf, toolOf } from './wizard/tool-questions.ts'
import { answerAll, checkGiven, isAnswered } from './wizard/unasked.ts'
import { writeAdded } from './write-tools.ts'

const OPTIONS = {
  ...AGENT_OPTIONS,
  ...TOOL_OPTIONS,
  grant: { type: 'boolean', describe: 'grant in policy.caps what the tool needs and the policy lacks' },
  'non-interactive': NON_INTERACTIVE,
} as const satisfies OptionTable

type Args = CommandArgs<typeof OPTIONS, readonly [typeof AGENT]>

export const command = defineCommand({
  name: 'tool add',
  summary: 'add a tool to an agent’s tools.json',
  positionals: [AGENT],
  options: OPTIONS,
  stray: { argument: word => `The id of the new tool is an option: --id ${word}` },
  examples: [
    ['rlp tool add mailer', 'answer the questions, look at the summary, confirm'],
    [
      "rlp tool add mailer --id text.words --description 'Split a text into words' --command /usr/bin/jq --stdin --arg=-c --arg '{words: (.text / \" \")}' --input-schema text:string --result-schema 'words:string[]' --grant",
      'everything given, the grant too; jq reads the arguments from standard input',
    ],
  ],
  notes:
    'Questions are put only when standard input and output are terminals, and about the tool only when --id, --description, the transport or a schema is missing.\n\npolicy.caps is never widened without a yes to the exact lines, or --grant. Both files change in place, with their layout and comments; afterwards run rlp agent digest.',
  run: (args, io) => runAdd(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runAdd(args: Args, io: Io, open: OpenPrompter): Promise<ExitCode> {
  const target = await findAgent(args, 'add a tool to', io)
  const agent = await readSourceFolder(target, 'held', io)
  refuseUnreadable(agent)
  if (args.id !== undefined) refuseTaken(agent, args.id)
  const given = await answersOf(args, io.cwd)
  const extras = extrasOf(args)
  const tool = {
    prefix: '',
    taken: agent.tools?.tools.map(({ id }) => id) ?? [],
    schemaFiles: schemaFilesOf(agent.files),
    headers: extras.headers,
  }
  const context: AddContext = { agent, tool, extras, asks: { grant: false, write: false } }
  const { answers, isAsked } = await answer(context, given, args, io, open)
  const made = toolOf(answers, tool, extras)
  refuseUnlisted(made)
  const shown = await planOf(agent, made, io)
  // Read again: the files may have changed while the questions were open.
  const now = await readSourceFolder(target, 'held', io)
  const plan = await planOf(now, made, io)
  const isGranted = plan.policy !== undefined && (args.grant || answers.get('grant') === 'yes')
  if (isGranted && !isDeepStrictEqual(plan.policy, shown.policy)) throw policyChanged(target)
  const written = await writeAdded({ target, agent: now, id: made.id, isGranted }, plan, io)
  const { missing } = written
  report(io, args, {
    tool: 'tool.add',
    result: written,
    warnings: missing.length > 0 ? [notGrantedWarning(target.label, made.id, missing)] : [],
    text: () =>
      renderAddedTool(written, args.quiet, io) +
      (isAsked && !args.quiet
        ? renderCommandLine(toolAddLine(target.label, answers, tool, isGranted, args))
        : ''),
  })
  return EXIT.ok
}

/** Asks the questions without an answer: all of them, or only the one about the grant, or none. */
async function answer(
  context: AddContext,
  given: Map<string, string>,
  args: Args,
  io: Io,
  open: OpenPrompter,
): Promise<{ readonly answers: Answers; readonly isAsked: boolean }> {
  const questions = (asks: AddContext['asks']) => (answers: Answers) =>
    addQuestions(answers, { ...context, asks })
  const asksNothing = questions({ grant: false, write: false })
  const doing = `add a tool to "${context.agent.label}"`
  if (!mayAsk(io, args)) return { answers: answerAll(asksNothing, given, doing), isAsked: false }
  checkGiven(asksNothing, given)
  const asksAll = !isAnswered(asksNothing, given)
  const said = asksAll ? given : answerAll(asksNothing, given, doing)
  const all = questions({ grant: !args.grant, write: asksAll })
  if (!asksAll && all(said).every(({ id }) => said.has(id))) return { answers: said, isAsked: false }
  const prompter = await open(doing, io)
  prompter.intro(`A new tool for ${context.agent.label}`)
  if (asksAll) prompter.info(HOW_TO_ANSWER)
  const answers = await askAll(all, prompter, said)
  if (!asksAll || answers.get('write') === 'yes') {
    prompter.outro('Writing')
    return { answers, isAsked: true }
  }
  throw refusedToWrite(doing)
}

function policyChanged({ label }: Target): RlpError {
  return new RlpError(
    'CHANGED_WHILE_READING',
    `Cannot write "${label}/${POLICY_FILE}": it changed meanwhile`,
    { hint: 'Run the command again' },
  )
}

function planOf(agent: Agent, tool: Tool, io: Io): Promise<AddedTool> {
  return addTools(agent, [stated(agent, tool)], turnsOf(`checking "${agent.label}"`, io.signal))
}
