// rlp tool add: adds a tool to an agent's tools.json, and, if the user agrees, its grants to policy.caps.
import { isDeepStrictEqual } from 'node:util'
import { HOW_TO_ANSWER, refusedToWrite } from '../../cli/interactive.ts'
import { askAll } from '../../cli/wizard/ask.ts'
import type { Answers } from '../../cli/wizard/question.ts'
import type { Target } from '../../io/find/find-agents.ts'
import { readSourceFolder } from '../../io/read/read-tree.ts'
import { turnsOf } from '../../io/wait/breathe.ts'
import { type Agent, POLICY_FILE } from '../../model/agent.ts'
import { RlpError } from '../../model/error.ts'
import type { Tool } from '../../model/tools.ts'
import { printable } from '../../text/printable.ts'
import { type At, commandOf, defineVerb, type Input, needed, type World } from '../../verb/index.ts'
import { agentsDir } from '../../verb/kinds/agents.ts'
import { sourceAgent } from '../../verb/kinds/one-agent.ts'
import { type AskPerson, asking } from '../../verb/kinds/questions.ts'
import { type AddedTool, addTools, refuseTaken, refuseUnreadable, stated } from '../add-tool.ts'
import { notGrantedWarning, renderChanged } from '../render-changed.ts'
import { GRANTING, objectGiven, toolGiven } from '../tool-inputs.ts'
import { renderCommandLine, toolAddLine } from '../wizard/command-line.ts'
import { answersOf, extrasOf, refuseUnlisted, TOOL_OPTIONS, type ToolArgs } from '../wizard/tool-answers.ts'
import { type AddContext, addQuestions } from '../wizard/tool-plan.ts'
import { schemaFilesOf, toolOf } from '../wizard/tool-questions.ts'
import { answerAll, checkGiven, isAnswered } from '../wizard/unasked.ts'
import { type AddedToolResult, writeAdded } from '../write-tools.ts'

interface Asks {
  /** Whether the grant is decided, and no question. */
  readonly grant: boolean
  readonly asking: AskPerson | undefined
}

interface Made {
  readonly tool: Tool
  /** What a person has answered; undefined if no person was asked. */
  readonly person: Person | undefined
}

interface Person {
  readonly grants: boolean
  /** The command line that does the same. */
  line(isGranted: boolean): string
}

const tool: Input<Tool, (agent: Agent, asks: Asks) => Promise<Made>> = {
  type: 'Tool',
  flags: TOOL_OPTIONS,
  fromTyped:
    (args: ToolArgs, { world }: At) =>
    (agent, asks) =>
      toolTyped(agent, args, asks, world.cwd),
  fromGiven(given, at) {
    const tool = objectGiven(given, at)
    return async () => ({ tool: toolGiven(tool), person: undefined })
  },
}

interface Added {
  readonly written: AddedToolResult
  /** What a person could have typed, who was asked. */
  readonly line: string | undefined
}

/**
 * Adds a tool to the tools.json of an agent's folder. Layout and comments of the files stay. Afterwards call {@link digest}.
 *
 * @example
 * const [tool] = (await loadBundle('old.agent.bundle', { expect: 'any' })).tools
 * if (tool !== undefined) console.log((await addTool('agents/mailer', tool, { grant: true })).granted)
 *
 * @throws {@link RlpError} `EXISTS` for an id that is taken; `LINT_FAILED` for a tool that lint refuses, or an agent that cannot be read; `USAGE` for
 * a need that no policy can grant; `NOT_FOUND`, `NOT_EDITABLE`, `CHANGED_WHILE_READING`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'tool add',
  summary: 'add a tool to an agent’s tools.json',
  called: 'addTool',
  arguments: ['agent'],
  parameters: ['agent', 'tool'],
  inputs: {
    agent: needed(sourceAgent('add a tool to')),
    agentsDir,
    tool: needed(tool),
    ...GRANTING,
    asking,
  },
  async run({ agent: find, agentsDir, tool: make, ...asks }, world): Promise<Added> {
    const target = await find(agentsDir)
    const agent = await readSourceFolder(target, 'held', world)
    refuseUnreadable(agent)
    const { tool, person } = await make(agent, asks)
    const shown = await planOf(agent, tool, world)
    // The files may have changed while the questions were open.
    const now = person === undefined ? agent : await readSourceFolder(target, 'held', world)
    const plan = person === undefined ? shown : await planOf(now, tool, world)
    const isGranted = plan.policy !== undefined && (asks.grant || person?.grants === true)
    if (isGranted && !isDeepStrictEqual(plan.policy, shown.policy)) throw policyChanged(target)
    const written = await writeAdded({ target, agent: now, id: tool.id, isGranted }, plan, world)
    return { written, line: person?.line(isGranted) }
  },
  answer: ({ written }): AddedToolResult => written,
})

async function toolTyped(agent: Agent, args: ToolArgs, asks: Asks, cwd: string): Promise<Made> {
  if (args.id !== undefined) refuseTaken(agent, args.id)
  const given = await answersOf(args, cwd)
  const extras = extrasOf(args)
  const tool = {
    prefix: '',
    taken: agent.tools?.tools.map(({ id }) => id) ?? [],
    schemaFiles: schemaFilesOf(agent.files),
    headers: extras.headers,
  }
  const { answers, isAsked } = await answer({ agent, tool, extras }, given, asks)
  const made = toolOf(answers, tool, extras)
  refuseUnlisted(made)
  const person: Person = {
    grants: answers.get('grant') === 'yes',
    line: isGranted => toolAddLine(agent.label, answers, tool, isGranted, args),
  }
  return { tool: made, person: isAsked ? person : undefined }
}

/** Asks the questions without an answer: all of them, or only the one about the grant, or none. */
async function answer(
  context: Omit<AddContext, 'asks'>,
  given: Map<string, string>,
  { grant, asking }: Asks,
): Promise<{ readonly answers: Answers; readonly isAsked: boolean }> {
  const questions = (asks: AddContext['asks']) => (answers: Answers) =>
    addQuestions(answers, { ...context, asks })
  const asksNothing = questions({ grant: false, write: false })
  const doing = `add a tool to "${context.agent.label}"`
  if (asking === undefined) return { answers: answerAll(asksNothing, given, doing), isAsked: false }
  checkGiven(asksNothing, given)
  const asksAll = !isAnswered(asksNothing, given)
  const said = asksAll ? given : answerAll(asksNothing, given, doing)
  const all = questions({ grant: !grant, write: asksAll })
  if (!asksAll && all(said).every(({ id }) => said.has(id))) return { answers: said, isAsked: false }
  const prompter = await asking(doing)
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

function planOf(agent: Agent, tool: Tool, { signal }: World): Promise<AddedTool> {
  return addTools(agent, [stated(agent, tool)], turnsOf(`checking "${agent.label}"`, signal))
}

export const command = commandOf(verb, {
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
  warnings: ({ written }) => notGrantedWarning(written),
  quiet: ({ written }) => [written.tool],
  text({ written: { agent, tool, granted }, line }, { style }) {
    const done = [`${style.bold(printable(tool))} is in ${printable(agent)}/tools.json`]
    const shown = renderChanged(agent, done, granted, style)
    return line === undefined ? shown : shown + renderCommandLine(line)
  },
})
