// rlp tool edit: changes a tool in an agent's tools.json, and, if the user agrees, its grants in policy.caps.
import type { GlobalArgs } from '../../cli/command.ts'
import { type ArgsOf, camelCase, type OptionTable } from '../../cli/option.ts'
import type { Answers } from '../../cli/wizard/question.ts'
import { readSourceFolder } from '../../io/read/read-tree.ts'
import { turnsOf } from '../../io/wait/breathe.ts'
import type { Agent } from '../../model/agent.ts'
import { UsageError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import type { Tool } from '../../model/tools.ts'
import { printable } from '../../text/printable.ts'
import { toolWith, valueIn } from '../../tools/fields/index.ts'
import { TRANSPORTS, transportKind } from '../../tools/transports/index.ts'
import { type At, commandOf, defineVerb, type Input, needed, text } from '../../verb/index.ts'
import { agentsDir } from '../../verb/kinds/agents.ts'
import { sourceAgent } from '../../verb/kinds/one-agent.ts'
import { type AskPerson, asking } from '../../verb/kinds/questions.ts'
import { type PolicyChange, refuseUnreadable } from '../add-tool.ts'
import { othersIn, planEdit, toolIn } from '../change-tools.ts'
import { notGrantedWarning, renderChanged, unusedWarning } from '../render-changed.ts'
import { GRANTING, objectGiven, type ToolChanges, toolGiven } from '../tool-inputs.ts'
import { answersOf, extrasOf, refuseUnlisted, TOOL_OPTIONS } from '../wizard/tool-answers.ts'
import { askToGrant } from '../wizard/tool-plan.ts'
import { schemaFilesOf, toolOf, toolQuestions } from '../wizard/tool-questions.ts'
import { answerAll } from '../wizard/unasked.ts'
import { type EditedToolResult, writeEdited } from '../write-tools.ts'

/** Those of `tool add`. What is left out stays; of a list, - alone empties it. */
const CHANGE_OPTIONS = {
  ...TOOL_OPTIONS,
  id: { type: 'string', placeholder: 'ID', describe: 'a new id' },
  'requires-confirmation': { ...TOOL_OPTIONS['requires-confirmation'], negatable: true },
  stdin: { ...TOOL_OPTIONS.stdin, negatable: true },
} as const satisfies OptionTable

type ChangeArgs = ArgsOf<typeof CHANGE_OPTIONS, readonly []>

/** The options that were given, without dashes. */
function givenFlags(args: ChangeArgs): string[] {
  return Object.keys(CHANGE_OPTIONS).filter(flag => {
    const value = own<unknown>(args as Record<string, unknown>, camelCase(flag))
    return Array.isArray(value) ? value.length > 0 : value !== undefined
  })
}

/** @throws UsageError for a value that is refused or does not go with the others */
async function toolFrom(old: Tool, args: ChangeArgs, agent: Agent, cwd: string): Promise<Tool> {
  const context = { prefix: '', taken: othersIn(agent, old.id), schemaFiles: schemaFilesOf(agent.files) }
  const flags = new Set(givenFlags(args))
  const given = await answersOf(
    {
      ...args,
      secret: cleared(args.secret),
      capability: cleared(args.capability),
      tag: cleared(args.tag),
      requiresConfirmation: args.requiresConfirmation ?? old.requiresConfirmation,
      stdin: args.stdin ?? false,
    },
    cwd,
  )
  const kind = transportKind(old.transport)
  const isSameKind = (given.get('kind') ?? kind.kind) === kind.kind
  const base = new Map<string, string>([
    ['id', old.id],
    ['description', old.description],
    ['kind', kind.kind],
    ['input-schema', JSON.stringify(old.inputSchema)],
    ['result-schema', JSON.stringify(old.resultSchema)],
    ...(isSameKind ? Object.entries(kind.asked.stated(old.transport)) : []),
  ])
  const answers: Answers = answerAll(
    known => toolQuestions(known, context),
    new Map([...base, ...given]),
    `change the tool "${old.id}"`,
    // What the file has is judged by lint: another fact of a wrong tool can be changed.
    given,
  )
  const extras = extrasOf({
    ...args,
    env: cleared(args.env),
    header: cleared(args.header),
    stdin: args.stdin ?? false,
    requiresConfirmation: false,
  })
  const headers =
    flags.has('header') || !isSameKind || !('headers' in old.transport)
      ? extras.headers
      : old.transport.headers
  const made = toolOf(answers, context, { ...extras, headers })
  const tool = onlyGiven(old, made, flags)
  refuseUnlisted(tool)
  return tool
}

/** What no option speaks of stays as it is, to the order of a list. What only one kind of transport has goes with the kind. */
function onlyGiven(old: Tool, made: Tool, flags: ReadonlySet<string>): Tool {
  const isMoved = made.transport.kind !== old.transport.kind
  const ofKinds = TRANSPORTS.flatMap(({ asked }) => asked.flags)
  return toolWith((name, field) => {
    const [was, is] = [valueIn(old, name), valueIn(made, name)]
    const isGiven = Object.keys(field.flags).some(
      flag => flags.has(flag) || (isMoved && ofKinds.includes(flag)),
    )
    if (!isGiven) return was
    return field.edited === undefined ? is : field.edited(was, is)
  })
}

/** `-` alone empties it. An empty list would mean that the option was left out. */
function cleared(list: readonly string[]): readonly string[] {
  return list.length === 1 && list[0] === '-' ? [] : list
}

/** @throws UsageError if nothing shall change */
function refuseNothing(args: GlobalArgs & ChangeArgs & { readonly grant: boolean }): void {
  if (args.grant || givenFlags(args).length > 0) return
  throw new UsageError('Cannot run "rlp tool edit": no option says what to change', {
    hint: 'Name what is new, for example --description TEXT or --url URL; --grant grants what the tool needs',
  })
}

interface Changes {
  /** Whether something was said about `requires_confirmation`. */
  readonly saysConfirmation: boolean
  /** The tool as it shall be. */
  of(old: Tool, agent: Agent): Promise<Tool>
}

const changes: Input<ToolChanges, Changes> = {
  type: 'ToolChanges',
  flags: CHANGE_OPTIONS,
  fromTyped: (args: ChangeArgs, { world }: At) => ({
    saysConfirmation: args.requiresConfirmation !== undefined,
    of: (old, agent) => toolFrom(old, args, agent, world.cwd),
  }),
  fromGiven(given, at) {
    const changes = objectGiven(given, at)
    return {
      saysConfirmation: changes.requiresConfirmation !== undefined,
      of: async old => toolGiven({ ...old, ...changes }),
    }
  },
}

/**
 * Changes a tool in the tools.json of an agent's folder. policy.caps is never narrowed.
 *
 * @example
 * const { keys } = await editTool('agents/mailer', 'mail.send', { description: 'Send one mail' })
 * console.log(keys)
 *
 * @throws {@link RlpError} `NOT_FOUND` for a tool that is not there, and as {@link addTool}
 */
export const verb = defineVerb({
  name: 'tool edit',
  summary: 'change a tool in an agent’s tools.json',
  called: 'editTool',
  arguments: ['agent', 'id'],
  parameters: ['agent', 'id', 'changes'],
  inputs: {
    agent: needed(sourceAgent('change a tool of')),
    id: needed(text('id of the tool', { flag: 'tool', complete: 'none' })),
    agentsDir,
    changes: needed(changes),
    ...GRANTING,
    asking,
  },
  async run(asked, world): Promise<EditedToolResult> {
    const target = await asked.agent(asked.agentsDir)
    const agent = await readSourceFolder(target, 'held', world)
    refuseUnreadable(agent)
    const old = toolIn(agent, asked.id, 'change')
    const { saysConfirmation, of } = asked.changes
    const tool = await of(old, agent)
    const turn = turnsOf(`checking "${target.label}"`, world.signal)
    const plan = await planEdit(agent, { was: old.id, tool }, saysConfirmation, turn)
    const isGranted =
      plan.policy !== undefined && (asked.grant || (await agrees(plan.policy, target.label, asked)))
    return writeEdited({ target, agent, id: tool.id, isGranted }, plan, world)
  },
})

async function agrees(
  policy: PolicyChange,
  label: string,
  { id, asking }: { readonly id: string; readonly asking: AskPerson | undefined },
): Promise<boolean> {
  if (asking === undefined) return false
  const prompter = await asking(`change a tool of "${label}"`)
  prompter.intro(`${id} of ${label}`)
  const isGranted = await askToGrant(policy, prompter)
  prompter.outro('Writing')
  return isGranted
}

export const command = commandOf(verb, {
  examples: [
    ["rlp tool edit mailer mail.send --description 'Send one mail'", 'one fact; the others stay'],
    ['rlp tool edit mailer mail.send --id mail.smtp_send', 'another id, also in interfaces.json'],
    ['rlp tool edit mailer mail.send --grant', 'grant what the tool needs, for example after an import'],
    ['rlp tool edit mailer mail.send --secret - --no-requires-confirmation', 'no secrets, and no question'],
  ],
  notes:
    'What no option names stays as it is. An option for a list replaces the whole list; - alone empties it, except for --arg. The file changes in place, with its layout; afterwards run rlp agent digest.\n\npolicy.caps is never widened without a yes to the exact lines, or --grant, and never narrowed: what no tool needs any more is said, because the agent’s own code may use it.',
  ready: refuseNothing,
  warnings: edited => [...notGrantedWarning(edited), ...unusedWarning(edited)],
  quiet: ({ changed, tool }) => (changed ? [tool] : []),
  text({ agent, changed, granted, keys, tool }, { asked: { id }, style }) {
    if (!changed) return 'Nothing to change\n'
    const now = tool === id ? '' : `, now ${tool},`
    const done = `${id}${now} changed in ${agent}/tools.json: ${keys.join(', ')}`
    return renderChanged(agent, keys.length === 0 ? [] : [printable(done)], granted, style)
  },
})
