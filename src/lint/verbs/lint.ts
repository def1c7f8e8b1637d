// rlp agent lint: checks manifest, policy, tools and schemas, and that they agree.
import { resolve } from 'node:path'
import type { GlobalArgs } from '../../cli/command.ts'
import { each, type Outcome, onlyOne, printFailures, worstExit } from '../../cli/each.ts'
import { columnsOf, formatGiven, formatNamed, note, report } from '../../cli/render/report.ts'
import { didYouMean, nearest } from '../../cli/suggest.ts'
import { AGENT_OPTIONS, AGENT_PATHS } from '../../cli/targets.ts'
import { findAgents, type Target } from '../../io/find/find-agents.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { UsageError } from '../../model/error.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../../model/exit-code.ts'
import { isTable, own } from '../../model/own.ts'
import { quoted } from '../../text/printable.ts'
import { plural } from '../../text/words.ts'
import {
  type At,
  checked,
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
import { oneOf, oneWord } from '../../verb/kinds/choices.ts'
import { moment } from '../../verb/kinds/time.ts'
import { type Format, TOOL, type View } from '../formats/format.ts'
import { FORMATS, type FormatName } from '../formats/index.ts'
import type { LintResult } from '../lint-result.ts'
import { isToolsFile, type LintTargetOptions, lintTarget, toBeReported } from '../lint-target.ts'
import { hasTooManyWarnings, type LintedTarget, lintExit, summary, type Tally, tally } from '../linted.ts'
import { skippedText } from '../message-words.ts'
import { DESCRIBED_RULES } from '../rules/agentcli.ts'
import { type InterfaceLevel, interfaceSettings, isAboutAny, type RuleSetting } from '../suppress.ts'

/** One argument, or none at all: what it means is looked up when its turn comes, so that a missing one never hides the others. */
interface Named {
  readonly label: string
  find(agentsDir: string): Promise<readonly Target[]>
}

const path: Input<PathGiven, readonly Named[]> = {
  type: 'PathGiven',
  typed: { ...AGENT_PATHS, type: 'strings', optional: true },
  fromTyped: (typed: readonly string[], { world: { cwd } }: At) =>
    (typed.length === 0 ? [[]] : typed.map(one => [one])).map(words => ({
      label: words.join(),
      async find(agentsDir) {
        // Only an agentcli document is linted as a single file; any other argument is an agent or a folder of them.
        const file = { path: resolve(cwd, ...words), label: words.join() }
        return isToolsFile(file) ? [file] : findAgents(words, { agentsDir, cwd })
      },
    })),
  fromGiven: (given, { world }) => {
    const target = targetGiven(given, world, 'lint')
    return [{ label: target.label, find: async () => [target] }]
  },
}

type Levels = Readonly<Record<string, RuleSetting['level']>>

const LEVELS: Levels = {
  off: 'off',
  info: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
}

const rules: Input<Levels, readonly RuleSetting[]> = {
  type: "{ readonly [rule: string]: Severity | 'off' }",
  typed: {
    type: 'strings',
    flag: 'rule',
    placeholder: 'ID=LEVEL',
    words: DESCRIBED_RULES.map(({ id }) => id),
    describe: 'off, info, warn or error for a rule or a family/*; the last one counts',
  },
  absent: () => [],
  fromTyped: (typed: readonly string[]) => typed.map(settingTyped),
  fromGiven: (given, at) =>
    Object.entries(givenTable(given, at)).map(([rule, level]) => {
      if (!isAboutAny(rule))
        throw new UsageError(`Cannot lint: there is no rule ${JSON.stringify(rule)}`, { field: at.field })
      return { rule, level: givenLevel(level, at), said: 'rules' }
    }),
}

const givenTable = checked((given): given is Levels => isTable(given), 'an object with a level for each rule')
const givenLevel = oneOf<RuleSetting['level']>(['error', 'warning', 'info', 'off'])

function settingTyped(item: string): RuleSetting {
  const equals = item.indexOf('=')
  const rule = equals === -1 ? item : item.slice(0, equals)
  const level = own(LEVELS, item.slice(equals + 1))
  const ids = DESCRIBED_RULES.map(({ id }) => id)
  if (equals === -1 || level === undefined)
    throw new UsageError(`Cannot use --rule: ${quoted(item)} names no level`, {
      field: 'rule',
      expected: 'ID=off, ID=info, ID=warn or ID=error',
      hint: `Write for example --rule ${ids.includes(rule) ? rule : 'manifest/name-mismatch'}=off`,
    })
  if (isAboutAny(rule)) return { rule, level }
  throw new UsageError(`Cannot use --rule: there is no rule ${quoted(rule)}`, {
    field: 'rule',
    expected: 'a rule’s id, or family/*',
    hint: didYouMean(nearest(rule, ids)) ?? 'rlp agent lint --rules lists all of them',
  })
}

const fix: Input<'shown' | 'written', LintTargetOptions['fixes']> = {
  type: "'shown' | 'written'",
  flags: {
    fix: { type: 'boolean', describe: 'apply the fixes that are safe' },
    'dry-run': { type: 'boolean', describe: 'with --fix: write nothing, show the diff' },
  },
  absent: () => 'none',
  fromTyped({ fix, dryRun }: { readonly fix: boolean; readonly dryRun: boolean }) {
    if (dryRun && !fix)
      throw new UsageError('Cannot use --dry-run: without --fix nothing is written anyway', {
        field: 'dry-run',
        hint: 'Write --fix --dry-run',
      })
    if (!fix) return 'none'
    return dryRun ? 'shown' : 'written'
  },
  fromGiven: oneOf(['shown', 'written']),
}

interface LintOutcome extends Outcome<LintedTarget> {
  /** If two are about one rule, the later counts. */
  readonly settings: readonly RuleSetting[]
}

/**
 * Lints one agent's folder, or a tools.json of agentcli. What is wrong with it is a finding and never an error.
 *
 * @example
 * const { findings, counts } = await lint('agents/mailer', { rules: { 'wasm/stub': 'off' } })
 * for (const { file, line, message } of findings) console.log(`${file}:${line} ${message}`)
 *
 * @throws {@link RlpError} `NOT_FOUND` and the like where nothing can be read, `USAGE` for a rule that is not there, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent lint',
  summary: 'check manifest, policy, tools and schemas, and that they agree',
  called: 'lint',
  arguments: ['path'],
  inputs: {
    path: needed(path),
    agentsDir: typedOnly(text(AGENT_OPTIONS['agents-dir'].describe, AGENT_OPTIONS['agents-dir'])),
    /** A level for a rule or a `family/*`, by its id; the last one that fits a rule counts. */
    rules,
    /** How much interfaces.json has to state. */
    interfaces: oneWord(
      'what interfaces.json must state: what its schemas ask for, or all parts',
      ['schema', 'complete'] satisfies InterfaceLevel[],
      { placeholder: 'LEVEL' },
    ),
    /** `written`: the safe fixes are applied. `shown`: the findings are as if they were, and nothing is written. */
    fix,
    listing: typedOnly(whether('list every rule and stop', { flag: 'rules' })),
    /** The time of this run, for suppressions that end; now where it is left out. */
    now: moment,
  },
  isLong: true,
  async run(
    { path, agentsDir = '', rules, interfaces, fix: fixes, listing, now },
    world,
  ): Promise<LintOutcome> {
    const settings = [...interfaceSettings(interfaces), ...rules]
    if (listing) return { done: [], failed: [], settings }
    const options = { now, settings, fixes }
    const seen = new Set<string>()
    const { done, failed } = await each(path, async ({ find }) => {
      const targets = await find(agentsDir)
      const fresh = targets.filter(({ path }) => !seen.has(path))
      for (const { path } of fresh) seen.add(path)
      return each(fresh, target => lintOne(target, options, world))
    })
    return {
      done: done.flatMap(outcome => outcome.done),
      failed: [...failed, ...done.flatMap(outcome => outcome.failed)],
      settings,
    }
  },
  // No command needs it but with --json, which loads it.
  answer: async (outcome: LintOutcome): Promise<LintResult> =>
    (await import('../lint-result.ts')).lintResult(onlyOne(outcome)),
})

async function lintOne(target: Target, options: LintTargetOptions, world: World): Promise<LintedTarget> {
  if (!isToolsFile(target)) return toBeReported(await lintTarget(target, options, world))
  const { lintFile } = await import('../lint-file.ts')
  return lintFile(target, options)
}

export const command = commandOf(verb, {
  flags: {
    format: {
      type: 'string',
      placeholder: 'FORMAT',
      choices: FORMATS.map(({ name }) => name),
      describe: 'how to report; json is the same as --json',
    },
    strict: { type: 'boolean', describe: 'exit 1 on warnings too' },
    'max-warnings': {
      type: 'integer',
      min: 0,
      placeholder: 'N',
      describe: 'exit 1 when there are more warnings than this',
    },
    'show-suppressed': { type: 'boolean', describe: 'show suppressed findings too, with their reasons' },
  },
  first: ['agents-dir', 'format', 'strict', 'max-warnings', 'rule', 'interfaces', 'show-suppressed'],
  examples: [
    ['rlp agent lint', 'all agents in ./agents'],
    ['rlp agent lint agents/mailer --strict', 'one agent, warnings count'],
    ['rlp agent lint --format sarif > lint.sarif', 'for code scanning'],
    ['rlp agent lint --rule manifest/name-mismatch=off', 'suppressed, and reported as such'],
    ['rlp agent lint mailer --interfaces complete', 'records must say everything'],
    ['rlp agent lint mailer --fix --dry-run', 'what the safe fixes would change'],
    ['rlp agent lint tools.json', 'one file of agentcli’s kind'],
    ['rlp agent lint records.json', 'one file of Agent Tool records'],
  ],
  notes:
    'Exit code 0: no errors, and no more warnings than --strict or --max-warnings allow. 1: errors, or more warnings. 2: the call is wrong. 3: something could not be read. Suppressed findings never count. --quiet shows only what counts.\n\n--fix never changes what an agent may do.',
  ready(args) {
    const name = formatGiven(args)
    if (own(args as Readonly<Record<string, unknown>>, 'rules') !== true || ['text', 'json'].includes(name))
      return
    throw new UsageError(`Cannot use --format ${name} with --rules: it reports findings`, {
      field: 'format',
      hint: 'Use --rules --json',
    })
  },
  print: (outcome, showing, exit) =>
    showing.asked.listing ? printRules(showing) : printLinted(outcome, showing, exit),
  exit: ({ done, failed }, { args }) => worstExit([lintExit(countsOf(done), args)], failed),
  async refused(error, showing) {
    const { asked, args, io } = showing
    const exit = exitCodeOf(error)
    // With --json the failure is printed as for every other command.
    if (args.json || exit === EXIT.user) return undefined
    const format = await formatOf(args)
    const target = asked.path.map(({ label }) => label).join()
    io.stdout(format.renderFailure?.({ target, error }, exit, viewOf(showing)) ?? '', format.speaks)
    return undefined
  },
})

interface LintArgs extends GlobalArgs {
  readonly format: FormatName | undefined
  readonly strict: boolean
  readonly maxWarnings: number | undefined
  readonly showSuppressed: boolean
}

interface ShowingLint extends Omit<Showing<typeof verb.inputs>, 'args'> {
  readonly args: LintArgs
}

function formatOf(args: LintArgs): Promise<Format> {
  return formatNamed(FORMATS, formatGiven(args)).load()
}

/** With a format for programs that is JSON nothing is said beside it, as with --json. */
function speechOf(args: LintArgs): GlobalArgs {
  return { ...args, json: formatGiven(args) === 'json' }
}

async function printRules({ args, io }: ShowingLint): Promise<void> {
  const { ruleList, rulesForPrograms } = await import('../render-rules.ts')
  const text = () => ruleList(columnsOf(io))
  report(io, speechOf(args), { tool: TOOL, result: { rules: rulesForPrograms() }, text })
}

async function printLinted(
  { done, failed, settings }: LintOutcome,
  showing: ShowingLint,
  exit: ExitCode,
): Promise<void> {
  const { asked, args, io } = showing
  const format = await formatOf(args)
  const speech = speechOf(args)
  const isDryRun = asked.fix === 'shown'
  const counts = countsOf(done)
  const fails = failing(args, counts)
  for (const { agent, fixes } of done)
    for (const { path, what } of fixes)
      note(io, speech, `${isDryRun ? 'would fix' : 'fixed'} ${agent.label}/${path}: ${what.join(', ')}`)
  for (const { agent, skipped } of done)
    for (const one of skipped) note(io, speech, skippedText(one, agent.label))
  const view = { ...viewOf(showing), shows: shownBy(args, fails) }
  const shown = await format.render({ linted: done, isDryRun, failed, settings, exit, fails }, view)
  if (shown !== '') io.stdout(shown, format.speaks)
  printFailures(io, speech, failed)
  note(io, speech, summary(done))
  if (args.maxWarnings !== undefined && hasTooManyWarnings(counts, args) && !args.strict)
    note(io, speech, `${plural(counts.warnings, 'warning')}; --max-warnings allows ${args.maxWarnings}`)
}

function countsOf(done: readonly LintedTarget[]): Tally {
  return tally(done.flatMap(({ findings }) => findings))
}

function viewOf({ io, style }: ShowingLint): View {
  const { cwd, env, columns, isTTY } = io
  return { cwd, env, style, columns, screen: isTTY.stdout ? columns : undefined, shows: () => true }
}

/** Which findings make the command fail. */
function failing(args: LintArgs, counts: Tally): View['shows'] {
  const severities = hasTooManyWarnings(counts, args) ? ['error', 'warning'] : ['error']
  return ({ severity, suppressed }) => suppressed === undefined && severities.includes(severity)
}

/** With `--quiet` only findings that make the command fail. */
function shownBy(args: LintArgs, fails: View['shows']): View['shows'] {
  return finding => (finding.suppressed === undefined ? !args.quiet || fails(finding) : args.showSuppressed)
}
