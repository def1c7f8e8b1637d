// rlp tool edit: changes a tool in an agent's tools.json, and, if the user agrees, its grants in policy.caps.
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { mayAsk, NON_INTERACTIVE, type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { report } from '../cli/render/report.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { refuseUnreadable } from './add-tool.ts'
import { editTool } from './change-tools.ts'
import { CHANGE_OPTIONS, refuseNothing, toolFrom } from './edit-options.ts'
import { AGENT, findAgent } from './one-agent-options.ts'
import { notGrantedWarning, renderChanged, unusedWarning } from './render-changed.ts'
import { othersIn, toolIn } from './tool-in.ts'
import { refuseUnlisted } from './tool-options.ts'
import { askToGrant } from './wizard/tool-plan.ts'
import { schemaFilesOf } from './wizard/tool-questions.ts'
import { writeEdited } from './written-tools.ts'

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
