// rlp agent test: the cases in tests/ of an agent, each a call in the sandbox; or a new case, recorded.
import type { GlobalArgs } from '../../cli/command.ts'
import { each, type Outcome, printFailures, worstExit } from '../../cli/each.ts'
import { formatGiven, formatNamed, printText, report, warn } from '../../cli/render/report.ts'
import type { Target } from '../../io/find/find-agents.ts'
import { CASES_FOLDER } from '../../model/agent.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { EXIT } from '../../model/exit-code.ts'
import { writePath } from '../../text/shell-words.ts'
import { plural } from '../../text/words.ts'
import {
  type At,
  commandOf,
  defineVerb,
  type Input,
  needed,
  type Showing,
  text,
  typedOnly,
  type World,
  whether,
} from '../../verb/index.ts'
import { agentFolders, agentsDir } from '../../verb/kinds/agents.ts'
import { addCases, recordCall, recordTrace, type TestedAgent, testAgent } from '../cases.ts'
import { asksForConfirmation } from '../confirmation.ts'
import { UNANSWERED } from '../context.ts'
import { isFulfilled } from '../formats/format.ts'
import { CASE_FORMATS } from '../formats/index.ts'
import { type OpenAgent, openSource, readCallable } from '../open-agent.ts'
import { CALL_OPTIONS, readArguments } from '../options.ts'
import type { CallSession } from '../session.ts'
import { SESSION, sandboxBy, sessionBy } from '../session-inputs.ts'

/** Records cases for an agent. */
type RecordCases = (asked: {
  readonly target: Target
  readonly args: string | undefined
  readonly name: string | undefined
  readonly session: CallSession
}) => Promise<Recorded>

const record: Input<never, RecordCases | undefined> = {
  typed: {
    type: 'string',
    placeholder: 'ID|@FILE',
    describe: 'add a case: call this tool now, or take the calls of a trace',
  },
  fromTyped:
    (what: string, { world }: At): RecordCases =>
    asked =>
      recordCases(what, asked, world),
}

/**
 * Runs the cases in `tests/*.json` of an agent's folder, one after the other, without verification.
 *
 * @example
 * const { results } = await testTools('agents/mailer')
 * for (const { name, problem } of results) if (problem !== undefined) console.log(`${name}: ${problem}`)
 *
 * @throws {@link RlpError} `LINT_FAILED` for an agent with errors, and for a file that holds no cases; `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent test',
  summary: 'run the cases of an agent’s tools, or record one',
  called: 'testTools',
  arguments: ['path'],
  inputs: {
    path: needed(agentFolders('test')),
    agentsDir,
    record,
    args: typedOnly(
      text('the arguments of the call that --record makes; {} if left out', {
        placeholder: 'JSON|@FILE|-',
      }),
    ),
    name: typedOnly(text('what the new case is called', { placeholder: 'TEXT' })),
    /** Confirm every call in advance; without it a call that wants a person's yes is refused. */
    yes: whether(CALL_OPTIONS.yes.describe, { alias: CALL_OPTIONS.yes.alias }),
    ...SESSION,
  },
  async run({ path, agentsDir, record, args, name, yes, ...asked }, world): Promise<Tested> {
    const targets = await path(agentsDir)
    const [only] = targets
    if (record !== undefined && targets.length !== 1)
      throw new UsageError(`Cannot record a case for ${targets.length} agents`, {
        field: 'record',
        hint: 'Name the agent that has the tool',
      })
    const sandbox = await sandboxBy(asked, world)
    const asks = world.terminal === undefined ? !yes : await asksForConfirmation({ yes }, world)
    const confirm = asks ? UNANSWERED : async () => 'approved' as const
    const session = await sessionBy(asked, world, confirm, { sandbox })
    try {
      if (record !== undefined && only !== undefined)
        return { targets, recorded: await record({ target: only, args, name, session }) }
      const run = async (target: Target) =>
        testAgent(target, await open(target, world), session, world.signal)
      return { targets, cases: await each(targets, run) }
    } finally {
      await session.close()
    }
  },
  answer: ({ cases }): TestedAgent => cases?.done[0] as TestedAgent,
})

/** What was run, or what was recorded. */
interface Tested {
  readonly targets: readonly Target[]
  readonly cases?: Outcome<TestedAgent>
  readonly recorded?: Recorded
}

interface Recorded {
  readonly agent: string
  readonly changed: boolean
  readonly files: readonly { readonly path: string; readonly added: number }[]
  /** Calls that failed: their cases expect that. */
  readonly failures: readonly Readonly<Record<string, string>>[]
}

async function open(target: Target, world: World): Promise<OpenAgent> {
  const source = await readCallable('test', target, world)
  const agent = await openSource('test', target, source, world)
  return { is: 'open', target, agent, isTrusted: false }
}

async function recordCases(
  what: string,
  { target, args = '{}', name, session }: Parameters<RecordCases>[0],
  world: World,
): Promise<Recorded> {
  const { signal } = world
  const opened = await open(target, world)
  const cases = what.startsWith('@')
    ? await recordTrace(what.slice(1), opened, world)
    : [await recordCall(what, await readArguments(args, world), opened, session, signal)]
  const added = signal.aborted ? [] : await addCases(target, cases, name, signal)
  const files = [...added].map(([path, count]) => ({ path, added: count }))
  const failures = cases.flatMap(({ tool, expected }) =>
    expected.is === 'failure' ? [{ tool, ...expected.members }] : [],
  )
  return { agent: target.label, changed: files.some(({ added }) => added > 0), files, failures }
}

export const command = commandOf(verb, {
  flags: {
    format: {
      type: 'string',
      placeholder: 'FORMAT',
      choices: CASE_FORMATS.map(({ name }) => name),
      describe: 'how to report; json is the same as --json',
    },
  },
  first: ['agents-dir', 'format'],
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
  ready: refuseFormat,
  exit({ cases }, { io }) {
    if (io.signal.aborted) return EXIT.user
    const isGood = cases?.done.every(({ results }) => results.every(isFulfilled)) ?? true
    return worstExit([isGood ? EXIT.ok : EXIT.bundle], cases?.failed ?? [])
  },
  print({ targets, cases, recorded }, showing) {
    const { args, io } = showing
    if (io.signal.aborted) {
      if (cases !== undefined) warn(io, args, 'the cases were ended before all had run')
      return
    }
    if (recorded !== undefined) printRecorded(recorded, showing)
    if (cases !== undefined) printCases(targets, cases, showing)
  },
})

interface Format extends GlobalArgs {
  readonly format: string | undefined
}

function refuseFormat(args: Format & { readonly record?: string | undefined }): void {
  if (args.record !== undefined && args.format !== undefined)
    throw new UsageError('Cannot use --format with --record: no case is run', { field: 'format' })
  formatGiven(args)
}

interface Shown extends Pick<Showing, 'style' | 'io'> {
  readonly args: Format
}

function printCases(targets: readonly Target[], { done, failed }: Outcome<TestedAgent>, shown: Shown): void {
  const { args, style, io } = shown
  if (failed.length === 0 && done.every(({ results }) => results.length === 0)) throw noCases(targets)
  const format = formatGiven(args)
  const text = formatNamed(CASE_FORMATS, format).render({ tested: done, failed, quiet: args.quiet }, style)
  if (format === 'text') printText(io, text)
  else io.stdout(text)
  printFailures(io, { ...args, json: format === 'json' }, failed)
}

function noCases([first]: readonly Target[]): RlpError {
  const at = writePath(first?.label ?? '.')
  return new RlpError('NOT_FOUND', `Cannot test "${first?.label}": there is no case in ${CASES_FOLDER}/`, {
    hint: `Record one: rlp agent test ${at} --record TOOL --args '{…}'`,
  })
}

function printRecorded(recorded: Recorded, { args, io }: Shown): void {
  const { agent, files, failures } = recorded
  for (const one of failures.slice(0, MOST_FAILED)) warn(io, args, failedCall(one))
  if (failures.length > MOST_FAILED)
    warn(io, args, `${plural(failures.length - MOST_FAILED, 'more case')} expect a call that fails`)
  const said = files.map(
    ({ path, added }) =>
      `${agent}/${path}: ${added === 0 ? 'has this case already' : `${plural(added, 'case')} added`}\n`,
  )
  report(io, args, {
    tool: 'agent.test',
    result: recorded,
    text: () => said.join('') || 'no call in this trace is of a tool of this agent\n',
  })
}

/** A person who records takes a failure for an answer unless a warning says otherwise. */
const MOST_FAILED = 10

function failedCall({ tool, kind, field, reason }: Readonly<Record<string, string>>): string {
  const why = [kind, reason ?? (field === undefined ? undefined : `of ${field}`)].filter(Boolean).join(', ')
  const yes = kind === 'user_denied' ? '; --yes confirms the call' : ''
  return `${tool} did not answer but failed (${why}), and its case expects this failure${yes}`
}
