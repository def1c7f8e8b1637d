// Shows people an edit of a trust policy: the change as a diff, and its effect on installed bundles.
import { unifiedDiff } from '../cli/render/diff.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import type { Showing } from '../verb/index.ts'
import type { EditedPolicy, PlannedEdit } from './edit-policy.ts'
import type { Foreseen, PolicyEffect } from './effect.ts'
import type { EDITING } from './inputs.ts'

interface Edited {
  readonly edited: EditedPolicy
}

type EditShowing = Pick<Showing<typeof EDITING>, 'asked' | 'style'>

/** How every edit is shown. */
export const SHOWN_EDIT = {
  quiet: ({ edited: { file, changed } }: Edited, { asked }: EditShowing) =>
    asked.dryRun ? undefined : changed ? [file.label] : [],
  text({ edited }: Edited, { asked, style }: EditShowing) {
    const { file, changed, effect } = edited
    const done = asked.dryRun ? 'would change' : 'changed'
    const head = changed ? `${style.green(SYMBOLS.ok)} ${done} ` : `${SYMBOLS.info} nothing to change in `
    const lines = [
      head + printable(file.label),
      ...diffOf(edited, style),
      ...followingLines(edited),
      ...(effect ? effectLines(effect, style) : []),
    ]
    return `${lines.join('\n')}\n`
  },
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
