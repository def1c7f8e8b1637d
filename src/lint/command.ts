// rlp agent lint: checks manifest, policy, tools and schemas, and that they agree.

import { resolve } from 'node:path'
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { each, type Outcome, printFailures, worstExit } from '../cli/each.ts'
import type { OptionTable } from '../cli/option.ts'
import { columnsOf, formatGiven, formatNamed, note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { didYouMean, nearest } from '../cli/suggest.ts'
import { AGENT_OPTIONS, AGENT_PATHS, resolveAgents } from '../cli/targets.ts'
import type { Target } from '../io/find/find-agents.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, exitCodeOf } from '../model/exit-code.ts'
import { own } from '../model/own.ts'
import { quoted } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { type Format, TOOL, type View } from './formats/format.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import { isToolsFile, type LintTargetOptions, lintTarget, toBeReported } from './lint-target.ts'
import { hasTooManyWarnings, type LintedTarget, lintExit, summary, tally } from './linted.ts'
import { skippedText } from './message-words.ts'
import { DESCRIBED_RULES } from './rules/agentcli.ts'
import { interfaceSettings, isAboutAny, type RuleSetting } from './suppress.ts'

const LINT_OPTIONS = {
  ...AGENT_OPTIONS,
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
  rule: {
    type: 'strings',
    placeholder: 'ID=LEVEL',
    words: DESCRIBED_RULES.map(({ id }) => id),
    describe: 'off, info, warn or error for a rule or a family/*; the last one counts',
  },
  interfaces: {
    type: 'string',
    placeholder: 'LEVEL',
    choices: ['schema', 'complete'],
    describe: 'what interfaces.json must state: what its schemas ask for, or all parts',
  },
  'show-suppressed': { type: 'boolean', describe: 'show suppressed findings too, with their reasons' },
  fix: { type: 'boolean', describe: 'apply the fixes that are safe' },
  'dry-run': { type: 'boolean', describe: 'with --fix: write nothing, show the diff' },
  rules: { type: 'boolean', describe: 'list every rule and stop' },
} as const satisfies OptionTable

type LintArgs = CommandArgs<typeof LINT_OPTIONS, readonly [typeof AGENT_PATHS]>

const LEVELS: Readonly<Record<string, RuleSetting['level']>> = {
  off: 'off',
  info: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
}

/** The settings of `--interfaces`, then those of `--rule`, in order: the last one counts. */
function readSettings({ rule, interfaces }: Pick<LintArgs, 'rule' | 'interfaces'>): RuleSetting[] {
  return [...interfaceSettings(interfaces), ...ruleSettings(rule)]
}

function ruleSettings(given: readonly string[]): RuleSetting[] {
  return given.map(item => {
    const equals = item.indexOf('=')
    const rule = equals === -1 ? item : item.slice(0, equals)
    const level = own(LEVELS, item.slice(equals + 1))
    if (equals === -1 || level === undefined)
      throw new UsageError(`Cannot use --rule: ${quoted(item)} names no level`, {
        field: 'rule',
        expected: 'ID=off, ID=info, ID=warn or ID=error',
        hint: `Write for example --rule ${DESCRIBED_RULES.some(({ id }) => id === rule) ? rule : 'manifest/name-mismatch'}=off`,
      })
    if (isAboutAny(rule)) return { rule, level }
    throw new UsageError(`Cannot use --rule: there is no rule ${quoted(rule)}`, {
      field: 'rule',
      expected: 'a rule’s id, or family/*',
      hint:
        didYouMean(
          nearest(
            rule,
            DESCRIBED_RULES.map(({ id }) => id),
          ),
        ) ?? 'rlp agent lint --rules lists all of them',
    })
  })
}

/** The format, if the flags about it agree. */
function readFormat(args: Pick<LintArgs, 'format' | 'json' | 'fix' | 'dryRun' | 'rules'>): FormatName {
  const format = formatGiven(args)
  if (args.rules && format !== 'text' && format !== 'json')
    throw new UsageError(`Cannot use --format ${format} with --rules: it reports findings`, {
      field: 'format',
      hint: 'Use --rules --json',
    })
  if (args.dryRun && !args.fix)
    throw new UsageError('Cannot use --dry-run: without --fix nothing is written anyway', {
      field: 'dry-run',
      hint: 'Write --fix --dry-run',
    })
  return format
}

export const command = defineCommand({
  name: 'agent lint',
  summary: 'check manifest, policy, tools and schemas, and that they agree',
  positionals: [AGENT_PATHS],
  options: LINT_OPTIONS,
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
  async run(args, io) {
    const name = readFormat(args)
    const speech = { ...args, json: name === 'json' }
    if (args.rules) {
      const { ruleList, rulesForPrograms } = await import('./render-rules.ts')
      const text = () => ruleList(columnsOf(io))
      report(io, speech, { tool: TOOL, result: { rules: rulesForPrograms() }, text })
      return EXIT.ok
    }
    const settings = readSettings(args)
    const format: Format = await formatNamed(FORMATS, name).load()
    const view = {
      cwd: io.cwd,
      env: io.env,
      style: createStyle(io.color),
      columns: io.columns,
      screen: io.isTTY.stdout ? io.columns : undefined,
      shows: () => true,
    }
    const fixes = args.fix ? (args.dryRun ? 'shown' : 'written') : 'none'
    const outcome = await survey(args, { now: new Date(), settings, fixes }, io, (error, target) => {
      // With --json the failure is printed as for every other command.
      if (!args.json)
        io.stdout(format.renderFailure?.({ target, error }, exitCodeOf(error), view) ?? '', format.speaks)
    })
    const { done, failed } = outcome
    const counts = tally(done.flatMap(({ findings }) => findings))
    const fails = failing(args, counts)
    const exit = worstExit([lintExit(counts, args)], failed)
    for (const target of done) noteFixes(target, speech, io)
    for (const { agent, skipped } of done)
      for (const one of skipped) note(io, speech, skippedText(one, agent.label))
    const shown = await format.render(
      { linted: done, isDryRun: args.dryRun, failed, settings, exit, fails },
      { ...view, shows: shownBy(args, fails) },
    )
    if (shown !== '') io.stdout(shown, format.speaks)
    printFailures(io, speech, failed)
    note(io, speech, summary(done))
    if (args.maxWarnings !== undefined && hasTooManyWarnings(counts, args) && !args.strict)
      note(io, speech, `${plural(counts.warnings, 'warning')}; --max-warnings allows ${args.maxWarnings}`)
    return exit
  },
})

/** Lints every target; a missing one never hides the others. If it is the only one, its error is thrown after `fail`. */
async function survey(
  args: LintArgs,
  options: LintTargetOptions,
  io: Io,
  fail: (error: RlpError, target: string) => void,
): Promise<Outcome<LintedTarget>> {
  const named = args.path.length < 2 ? [args.path] : args.path.map(path => [path])
  const seen = new Set<string>()
  try {
    const { done, failed } = await each(
      named.map(paths => ({ label: paths.join(), paths })),
      async ({ paths }) => {
        const file = namedFile(paths, io)
        if (file !== undefined) {
          const { lintFile } = await import('./lint-file.ts')
          return each([file], target => lintFile(target, options))
        }
        const targets = await resolveAgents(paths, { agentsDir: args.agentsDir, cwd: io.cwd })
        const fresh = targets.filter(({ path }) => !seen.has(path))
        for (const { path } of fresh) seen.add(path)
        return each(fresh, async target => toBeReported(await lintTarget(target, options, io)))
      },
    )
    return {
      done: done.flatMap(outcome => outcome.done),
      failed: [...failed, ...done.flatMap(outcome => outcome.failed)],
    }
  } catch (error) {
    if (error instanceof RlpError && exitCodeOf(error) !== EXIT.user) fail(error, args.path.join())
    throw error
  }
}

/** Only an agentcli document is linted as a single file; any other argument is an agent or a folder of them. */
function namedFile([path, ...others]: readonly string[], io: Io): Target | undefined {
  if (path === undefined || others.length > 0) return undefined
  const target = { path: resolve(io.cwd, path), label: path }
  return isToolsFile(target) ? target : undefined
}

function noteFixes(
  { agent, fixes }: LintedTarget,
  args: Pick<LintArgs, 'json' | 'quiet' | 'color' | 'dryRun'>,
  io: Io,
) {
  for (const { path, what } of fixes)
    note(io, args, `${args.dryRun ? 'would fix' : 'fixed'} ${agent.label}/${path}: ${what.join(', ')}`)
}

/** Which findings make the command fail. */
function failing(args: LintArgs, counts: ReturnType<typeof tally>): View['shows'] {
  const severities = hasTooManyWarnings(counts, args) ? ['error', 'warning'] : ['error']
  return ({ severity, suppressed }) => suppressed === undefined && severities.includes(severity)
}

/** With `--quiet` only findings that make the command fail. */
function shownBy(args: LintArgs, fails: View['shows']): View['shows'] {
  return finding => (finding.suppressed === undefined ? !args.quiet || fails(finding) : args.showSuppressed)
}
