// rlp agent test: the cases in tests/ of an agent, each a call in the sandbox; or a new case, recorded.
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { each, printFailures, worstExit } from '../cli/each.ts'
import type { OptionTable } from '../cli/option.ts'
import { formatGiven, formatNamed, printText, report, warn } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { AGENT_OPTIONS, AGENT_PATHS, resolveAgents } from '../cli/targets.ts'
import type { Target } from '../io/find/find-agents.ts'
import { CASES_FOLDER } from '../model/agent.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { writePath } from '../text/shell-words.ts'
import { plural } from '../text/words.ts'
import { addCases, recordCall, recordTrace, testAgent } from './cases.ts'
import { asksForConfirmation } from './confirmation.ts'
import { UNANSWERED } from './context.ts'
import { isFulfilled } from './formats/format.ts'
import { CASE_FORMATS } from './formats/index.ts'
import { openAgent } from './open-agent.ts'
import { CALL_OPTIONS, openSession, readArguments, sandboxFor } from './options.ts'
import type { CallSession } from './session.ts'

const TEST_OPTIONS = {
  ...AGENT_OPTIONS,
  format: {
    type: 'string',
    placeholder: 'FORMAT',
    choices: CASE_FORMATS.map(({ name }) => name),
    describe: 'how to report; json is the same as --json',
  },
  record: {
    type: 'string',
    placeholder: 'ID|@FILE',
    describe: 'add a case: call this tool now, or take the calls of a trace',
  },
  args: {
    type: 'string',
    placeholder: 'JSON|@FILE|-',
    describe: 'the arguments of the call that --record makes; {} if left out',
  },
  name: { type: 'string', placeholder: 'TEXT', describe: 'what the new case is called' },
  ...CALL_OPTIONS,
} as const satisfies OptionTable

type TestArgs = CommandArgs<typeof TEST_OPTIONS, readonly [typeof AGENT_PATHS]>

function reportFormat({ format, json, record }: TestArgs): string {
  if (record !== undefined && format !== undefined)
    throw new UsageError('Cannot use --format with --record: no case is run', { field: 'format' })
  return formatGiven({ format, json })
}

export const command = defineCommand({
  name: 'agent test',
  summary: 'run the cases of an agent’s tools, or record one',
  positionals: [AGENT_PATHS],
  options: TEST_OPTIONS,
  examples: [
    ['rlp agent test mailer', 'every case in agents/mailer/tests/*.json'],
    [
      'rlp agent test mailer --record text.query --args \'{"query":".id"}\'',
      'call it, and expect this answer from now on',
    ],
    ['rlp agent test mailer --record @calls.ndjson', 'a case for each call of a trace'],
    ['rlp agent test --format junit > cases.xml', 'for a pipeline'],
  ],
  notes:
    'A case is a tool, its arguments, and what counts as right: an answer, a JSON Schema that the answer fits, or a failure. It runs as rlp tool call --unverified runs it. The folder tests is never packed. docs/authoring.md has the form of the files.\n\nExit code 0: every case is fulfilled. 1: a case is not, or the agent has errors.',
  run: runTest,
})

async function runTest(args: TestArgs, io: Io): Promise<ExitCode> {
  const format = reportFormat(args)
  const speech = { ...args, json: format === 'json' }
  const targets = await resolveAgents(args.path, { agentsDir: args.agentsDir, cwd: io.cwd })
  if (args.record !== undefined && targets.length !== 1)
    throw new UsageError(`Cannot record a case for ${targets.length} agents`, {
      field: 'record',
      hint: 'Name the agent that has the tool',
    })
  const sandbox = await sandboxFor(speech, io)
  const asks = await asksForConfirmation(args, io)
  const confirm = asks ? UNANSWERED : async () => 'approved' as const
  const session = await openSession(args, sandbox, io, confirm)
  try {
    const [first] = targets
    if (args.record !== undefined && first !== undefined)
      return await record(first, args.record, speech, session, io)
    const { done, failed } = await each(targets, async target =>
      testAgent(target, await open(target, io), session, io.signal),
    )
    if (io.signal.aborted) {
      warn(io, speech, 'the cases were ended before all had run')
      return EXIT.user
    }
    if (failed.length === 0 && done.every(({ results }) => results.length === 0)) throw noCases(targets)
    const style = createStyle(io.color)
    const text = formatNamed(CASE_FORMATS, format).render({ tested: done, failed, quiet: args.quiet }, style)
    if (format === 'text') printText(io, text)
    else io.stdout(text)
    printFailures(io, speech, failed)
    const isGood = done.every(({ results }) => results.every(isFulfilled))
    return worstExit([isGood ? EXIT.ok : EXIT.bundle], failed)
  } finally {
    await session.close()
  }
}

async function record(
  target: Target,
  what: string,
  args: TestArgs,
  session: CallSession,
  io: Io,
): Promise<ExitCode> {
  const opened = await open(target, io)
  const cases = what.startsWith('@')
    ? await recordTrace(what.slice(1), opened, io)
    : [await recordCall(what, await readArguments(args.args ?? '{}', io), opened, session, io.signal)]
  if (io.signal.aborted) return EXIT.user
  const added = await addCases(target, cases, args.name, io.signal)
  const files = [...added].map(([path, count]) => ({ path, added: count }))
  const changed = files.some(({ added }) => added > 0)
  const failures = cases.flatMap(({ tool, expected }) =>
    expected.is === 'failure' ? [{ tool, ...expected.members }] : [],
  )
  for (const one of failures.slice(0, MOST_FAILED)) warn(io, args, failedCall(one))
  if (failures.length > MOST_FAILED)
    warn(io, args, `${plural(failures.length - MOST_FAILED, 'more case')} expect a call that fails`)
  const said = files.map(
    ({ path, added }) =>
      `${target.label}/${path}: ${added === 0 ? 'has this case already' : `${plural(added, 'case')} added`}\n`,
  )
  report(io, args, {
    tool: 'agent.test',
    result: { agent: target.label, changed, files, failures },
    text: () => said.join('') || 'no call in this trace is of a tool of this agent\n',
  })
  return EXIT.ok
}

/** A person who records takes a failure for an answer unless a warning says otherwise. */
const MOST_FAILED = 10

function failedCall({ tool, kind, field, reason }: Readonly<Record<string, string>>): string {
  const why = [kind, reason ?? (field === undefined ? undefined : `of ${field}`)].filter(Boolean).join(', ')
  const yes = kind === 'user_denied' ? '; --yes confirms the call' : ''
  return `${tool} did not answer but failed (${why}), and its case expects this failure${yes}`
}

async function open(target: Target, io: Io) {
  const opened = await openAgent('test', target, { unverified: true, signal: io.signal }, io)
  if (opened.is === 'open') return opened
  throw new TypeError('a source folder has no verdict')
}

function noCases([first]: readonly Target[]): RlpError {
  const at = writePath(first?.label ?? '.')
  return new RlpError('NOT_FOUND', `Cannot test "${first?.label}": there is no case in ${CASES_FOLDER}/`, {
    hint: `Record one: rlp agent test ${at} --record TOOL --args '{…}'`,
  })
}
