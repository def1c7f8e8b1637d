// rlp tool edit: changes a tool in an agent's tools.json, and, if the user agrees, its grants in policy.caps.

import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { mayAsk, NON_INTERACTIVE, type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import { type ArgsOf, camelCase, type OptionTable, type Positional } from '../cli/option.ts'
import { report } from '../cli/render/report.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import type { Answers } from '../cli/wizard/question.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { own } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import { toolWith, valueIn } from '../tools/fields/index.ts'
import { TRANSPORTS, transportKind } from '../tools/transports/index.ts'
import { refuseUnreadable } from './add-tool.ts'
import { editTool, othersIn, toolIn } from './change-tools.ts'
import { AGENT, findAgent } from './one-agent-options.ts'
import { notGrantedWarning, renderChanged, unusedWarning } from './render-changed.ts'
import { answersOf, extrasOf, refuseUnlisted, TOOL_OPTIONS } from './tool-options.ts'
import { askToGrant } from './wizard/tool-plan.ts'
import { schemaFilesOf, type ToolContext, toolOf, toolQuestions } from './wizard/tool-questions.ts'
import { answerAll } from './wizard/unasked.ts'
import { writeEdited } from './write-tools.ts'

/** Those of `tool add`. What is left out stays; of a list, - alone empties it. */
const CHANGE_OPTIONS = {
  ...TOOL_OPTIONS,
  id: { type: 'string', placeholder: 'ID', describe: 'a new id' },
  'requires-confirmation': { ...TOOL_OPTIONS['requires-confirmation'], negatable: true },
  stdin: { ...TOOL_OPTIONS.stdin, negatable: true },
} as const satisfies OptionTable

export type ChangeArgs = ArgsOf<typeof CHANGE_OPTIONS, readonly []>

/** The options that were given, without dashes. */
export function givenFlags(args: ChangeArgs): string[] {
  return Object.keys(CHANGE_OPTIONS).filter(flag => {
    const value = own<unknown>(args as Record<string, unknown>, camelCase(flag))
    return Array.isArray(value) ? value.length > 0 : value !== undefined
  })
}

/** @throws UsageError for a value that is refused or does not go with the others */
async function toolFrom(old: Tool, args: ChangeArgs, context: ToolContext, cwd: string): Promise<Tool> {
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
  return onlyGiven(old, made, flags)
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
function refuseNothing(args: ChangeArgs, grant: boolean): void {
  if (grant || givenFlags(args).length > 0) return
  throw new UsageError('Cannot run "rlp tool edit": no option says what to change', {
    hint: 'Name what is new, for example --description TEXT or --url URL; --grant grants what the tool needs',
  })
}

const OPTIONS = {
  ...AGENT_OPTIONS,
  ...CHANGE_OPTIONS,
  grant: { type: 'boolean', describe: 'grant in policy.caps what the tool needs and the policy lacks' },
  'non-interactive': NON_INTERACTIVE,
} as const satisfies OptionTable

const TOOL = {
  name: 'tool',
  describe: 'id of the tool',
  required: true,
  complete: 'none',
} as const satisfies Positional

type Args = CommandArgs<typeof OPTIONS, readonly [typeof AGENT, typeof TOOL]>

export const command = defineCommand({
  name: 'tool edit',
  summary: 'change a tool in an agent’s tools.json',
  positionals: [AGENT, TOOL],
  options: OPTIONS,
  examples: [
    ["rlp tool edit mailer mail.send --description 'Send one mail'", 'one fact; the others stay'],
    ['rlp tool edit mailer mail.send --id mail.smtp_send', 'another id, also in interfaces.json'],
    ['rlp tool edit mailer mail.send --grant', 'grant what the tool needs, for example after an import'],
    ['rlp tool edit mailer mail.send --secret - --no-requires-confirmation', 'no secrets, and no question'],
  ],
  notes:
    'What no option names stays as it is. An option for a list replaces the whole list; - alone empties it, except for --arg. The file changes in place, with its layout; afterwards run rlp agent digest.\n\npolicy.caps is never widened without a yes to the exact lines, or --grant, and never narrowed: what no tool needs any more is said, because the agent’s own code may use it.',
  run: (args, io) => runEdit(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runEdit(args: Args, io: Io, open: OpenPrompter): Promise<ExitCode> {
  refuseNothing(args, args.grant)
  const target = await findAgent(args, 'change a tool of', io)
  const agent = await readSourceFolder(target, 'held', io)
  refuseUnreadable(agent)
  const old = toolIn(agent, args.tool, 'change')
  const context = { prefix: '', taken: othersIn(agent, old.id), schemaFiles: schemaFilesOf(agent.files) }
  const tool = await toolFrom(old, args, context, io.cwd)
  refuseUnlisted(tool)
  const turn = turnsOf(`checking "${target.label}"`, io.signal)
  const plan = await editTool(agent, { was: old.id, tool }, args.requiresConfirmation !== undefined, turn)
  const isGranted =
    plan.policy !== undefined && (args.grant || (await agrees(plan.policy, target.label, args, io, open)))
  const written = await writeEdited({ target, agent, id: tool.id, isGranted }, plan, io)
  const { keys, changed, granted, missing, unused } = written
  const notGranted = missing.length > 0 ? [notGrantedWarning(target.label, tool.id, missing)] : []
  report(io, args, {
    tool: 'tool.edit',
    result: written,
    warnings: [...notGranted, ...unusedWarning(target.label, unused)],
    text: () => {
      if (!changed) return args.quiet ? '' : 'Nothing to change\n'
      const done =
        keys.length === 0
          ? []
          : [
              `${old.id}${tool.id === old.id ? '' : `, now ${tool.id},`} changed in ${target.label}/tools.json: ${keys.join(', ')}`,
            ]
      return renderChanged({ agent: target.label, done, granted, ids: [tool.id] }, args.quiet, io)
    },
  })
  return EXIT.ok
}

async function agrees(
  policy: Parameters<typeof askToGrant>[0],
  label: string,
  args: Args,
  io: Io,
  open: OpenPrompter,
): Promise<boolean> {
  if (!mayAsk(io, args)) return false
  const prompter = await open(`change a tool of "${label}"`, io)
  prompter.intro(`${args.tool} of ${label}`)
  const isGranted = await askToGrant(policy, prompter)
  prompter.outro('Writing')
  return isGranted
}
