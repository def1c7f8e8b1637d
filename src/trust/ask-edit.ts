// Shared by the commands that edit a trust policy: the file to edit, the change as a diff, and its effect on installed bundles.
import type { GlobalArgs, Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { AUDIT_OPTION, auditIn } from '../cli/options.ts'
import { unifiedDiff } from '../cli/render/diff.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { runloopHome } from '../io/home.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { carryOutJob, changePolicy, type Editing, type EditJob, type PlannedEdit } from './edit-policy.ts'
import type { TrustChange } from './edits/index.ts'
import type { Foreseen, PolicyEffect } from './effect.ts'

export const EDIT_OPTIONS = {
  'trust-policy': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'which policy to edit, in place of ~/.runloop/trust-policy.toml',
  },
  'dry-run': {
    type: 'boolean',
    describe: 'write nothing; show the change, and what it would do to everything installed',
  },
  ...AUDIT_OPTION,
} as const satisfies OptionTable

type EditArgs = GlobalArgs & {
  readonly trustPolicy: string | undefined
  readonly dryRun: boolean
  readonly audit: string | undefined
}

/**
 * Edits the policy that the command line names, and reports the change.
 *
 * @param verb the last word of the command
 */
export async function runPolicyEdit(verb: string, args: EditArgs, io: Io, job: EditJob): Promise<ExitCode> {
  const audit = await auditIn(args, io)
  const { trustPolicy, dryRun } = args
  const record: Editing['record'] = audit && (decision => audit.record(decision))
  const editing = { io, home: runloopHome(), policy: trustPolicy, dryRun, record }
  const { edited, answer } = await carryOutJob(editing, job, line => note(io, args, line))
  const { file, changed, effect } = edited
  report(io, args, {
    tool: `trust.${verb}`,
    result: answer,
    quiet: dryRun ? undefined : changed ? [file.label] : [],
    text: () => {
      const style = createStyle(io.color)
      const done = dryRun ? 'would change' : 'changed'
      const head = changed ? `${style.green(SYMBOLS.ok)} ${done} ` : `${SYMBOLS.info} nothing to change in `
      const lines = [
        head + printable(file.label),
        ...diffOf(edited, style),
        ...followingLines(edited),
        ...(effect ? effectLines(effect, style) : []),
      ]
      return `${lines.join('\n')}\n`
    },
  })
  return EXIT.ok
}

/** Makes a change that depends on nothing but the policy, and reports it. */
export function runChange(change: TrustChange, args: EditArgs, io: Io): Promise<ExitCode> {
  return runPolicyEdit(change.do, args, io, editing => changePolicy(change, editing))
}

/** The change, and what follows from it, for a person who is asked. */
export function plannedLines(planned: PlannedEdit): string[] {
  return [...diffOf(planned, createStyle(false)), ...followingLines(planned)]
}

function diffOf({ file, before, text, changed }: PlannedEdit, style: Style): string[] {
  return changed ? unifiedDiff('.', { path: file.label, before, text }, style) : []
}

function followingLines({ says, bundles }: PlannedEdit): string[] {
  return [...says.map(line => printable(line)), ...foreseenLines(bundles)]
}

/** More do not help on a screen; `--json` has all. */
const MOST_REASONS = 20

/** Of several bundles, the trusted ones are counted. */
function foreseenLines(bundles: readonly Foreseen[]): string[] {
  const [only, ...more] = bundles
  if (only !== undefined && more.length === 0) return linesOf(only)
  const others = bundles.filter(({ verdict }) => verdict !== 'trusted')
  const trusted = bundles.length - others.length
  return [
    ...(trusted > 0 ? [`${plural(trusted, 'bundle')} will be trusted`] : []),
    ...others.flatMap(linesOf),
  ]
}

function linesOf({ target, verdict, reasons }: Foreseen): string[] {
  return [
    `${printable(target)} will be ${verdict}${reasons.length === 0 ? '' : ':'}`,
    ...reasons.slice(0, MOST_REASONS).map(reason => `  ${printable(reason)}`),
  ]
}

function effectLines({ changed, looked }: PolicyEffect, style: Style): string[] {
  if (changed.length === 0) return [`No verdict changes; installed bundles looked at: ${looked}`]
  return changed.map(({ target, before, after, reason }) => {
    const why = reason === null ? '' : `: ${printable(reason)}`
    return `${printable(target)}  ${before} ${SYMBOLS.arrow} ${style.bold(after)}${why}`
  })
}
