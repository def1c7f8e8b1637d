// The options of `rlp agent lint`, and those that need more reading than the parser does.
import type { CommandArgs } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { formatGiven } from '../cli/render/report.ts'
import { didYouMean, nearest } from '../cli/suggest.ts'
import { AGENT_OPTIONS, type AGENT_PATHS } from '../cli/targets.ts'
import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { quoted } from '../text/printable.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import { DESCRIBED_RULES } from './rules/agentcli.ts'
import { interfaceSettings, isAboutAny, type RuleSetting } from './suppress.ts'

export const LINT_OPTIONS = {
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

export type LintArgs = CommandArgs<typeof LINT_OPTIONS, readonly [typeof AGENT_PATHS]>

const LEVELS: Readonly<Record<string, RuleSetting['level']>> = {
  off: 'off',
  info: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
}

/** The settings of `--interfaces`, then those of `--rule`, in order: the last one counts. */
export function readSettings({ rule, interfaces }: Pick<LintArgs, 'rule' | 'interfaces'>): RuleSetting[] {
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
export function readFormat(args: Pick<LintArgs, 'format' | 'json' | 'fix' | 'dryRun' | 'rules'>): FormatName {
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
