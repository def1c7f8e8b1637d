// What became of each agent of locks, and of what they do not name any more → a line for people, values for --json, and the exit code.
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { countsOf, plural } from '../format/text/counts.ts'
import { printable } from '../format/text/printable.ts'
import { changeLines } from '../inspect/render-permissions.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../model/exit-code.ts'
import { asFlags } from '../model/option-words.ts'
import { VERDICTS } from '../model/verdict.ts'
import type { Pruned } from './ask-prune.ts'
import type { LockedOutcome } from './install-locked.ts'
import type { PutByLock } from './prune-call.ts'

type Word = 'installed' | 'there' | 'kept' | 'refused' | 'failed'

export interface LockedRow {
  readonly agent: string
  readonly version: string
  readonly source: string
  readonly is: Word
  /** Today's; null if it was not judged. */
  readonly verdict: string | null
  readonly message: string | null
  readonly hint: string | null
  /** What it may do more than before. */
  readonly widened: readonly { readonly message: string }[]
  readonly exit: ExitCode
}

export function lockedRow({ agent, locked, outcome, error, kept }: LockedOutcome): LockedRow {
  const about = {
    agent,
    version: locked.version,
    source: locked.source,
    widened: [],
    message: null,
    hint: null,
  }
  const said = (message = '', hint?: string) => ({ message, hint: hint === undefined ? null : asFlags(hint) })
  if (outcome === undefined)
    return {
      ...about,
      is: 'failed',
      verdict: null,
      ...said(error?.message, error?.hint),
      exit: exitCodeOf(error),
    }
  const { verdict, reasons } = outcome.report
  if (outcome.is === 'not-verified') {
    const exit = VERDICTS[verdict].exit as ExitCode
    return { ...about, is: 'refused', verdict, ...said(reasons[0]?.message, reasons[0]?.hint), exit }
  }
  if (outcome.is === 'not-begun') {
    const hint = 'Read what it may do with rlp agent inspect, and add --yes; or name the lock with --lock'
    return {
      ...about,
      is: 'refused',
      verdict,
      ...said('its first install needs a yes', hint),
      exit: EXIT.call,
    }
  }
  const { decision } = outcome
  if (decision.is === 'refused') {
    const [{ message, hint }] = decision.refusals
    const isWider = decision.refusals.every(({ reason }) => reason === 'widened')
    const { widened } = decision.changes
    const exit = isWider ? EXIT.denied : EXIT.bundle
    return { ...about, is: 'refused', verdict, ...said(message, hint), widened, exit }
  }
  if (kept !== undefined)
    return { ...about, is: 'kept', verdict, ...said(kept.message, kept.hint), exit: EXIT.ok }
  const isNew = decision.is === 'install'
  const widened = isNew && !decision.isFirst ? decision.changes.widened : []
  return { ...about, is: isNew ? 'installed' : 'there', verdict, widened, exit: EXIT.ok }
}

export function renderLocked(
  row: LockedRow,
  outcome: LockedOutcome['outcome'],
  isDryRun: boolean,
  style: Style,
): string {
  const { agent, version, is, verdict, message, hint } = row
  const name = printable(`${agent} ${version}`)
  if (is === 'refused' || is === 'failed') {
    const word = verdict === null || verdict === 'trusted' ? is : verdict
    const lines = [`${style.red(SYMBOLS.bad)} ${style.bold(name)}: ${word}: ${printable(message ?? '')}`]
    if (hint !== null) lines.push(style.dim(`  hint: ${printable(hint)}`))
    return `${lines.join('\n')}\n`
  }
  const decision = outcome?.is === 'decided' ? outcome.decision : undefined
  const before =
    decision?.is === 'install' && decision.previous !== undefined
      ? ` in the place of ${decision.previous}`
      : ''
  if (is === 'kept') {
    const first = `${style.green(SYMBOLS.ok)} ${style.bold(name)} is kept, ${verdict}: ${printable(message ?? '')}`
    return `${first}\n${style.dim(`  hint: ${printable(hint ?? '')}`)}\n`
  }
  const what = is === 'there' ? 'is there' : `${isDryRun ? 'would be ' : ''}installed${before}`
  const lines = [`${style.green(SYMBOLS.ok)} ${style.bold(name)} ${printable(what)}, ${verdict}`]
  if (decision?.is === 'install' && !decision.isFirst)
    lines.push(...changeLines(decision.changes, style).map(line => `  ${line}`))
  return `${lines.join('\n')}\n`
}

/** A line for each agent that no lock names any more. */
export function prunedLines(removed: readonly PutByLock[], isDryRun: boolean, style: Style): string[] {
  return removed.map(({ agent, version, lock }) => {
    const what = `is ${isDryRun ? 'to be ' : ''}removed: the lock ${lock} has installed it, and names it no more`
    return `${style.green(SYMBOLS.ok)} ${style.bold(printable(`${agent} ${version}`))} ${printable(what)}\n`
  })
}

/** What stays, and why. */
export function prunedNotes({ changed, isWaiting }: Pruned): string[] {
  return [
    ...(isWaiting ? ['nothing is removed: not every agent of the locks is there and trusted'] : []),
    ...changed.map(
      ({ agent, lock }) => `${agent} stays: its file is not the one that the lock ${lock} has installed`,
    ),
  ]
}

/** `3 agents of rlp.lock: 1 installed, 2 there`. @param removed how many were */
export function lockedSummary(
  rows: readonly LockedRow[],
  labels: readonly string[],
  removed = 0,
  isDryRun = false,
): string {
  const words: readonly Word[] = ['installed', 'there', 'kept', 'refused', 'failed']
  const shown = countsOf(words, rows)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${isDryRun && word === 'installed' ? 'would be ' : ''}${word}`)
  const gone = removed === 0 ? [] : [`${removed} ${isDryRun ? 'to be ' : ''}removed`]
  const all = [...shown, ...gone].join(', ') || 'nothing to install'
  return `${plural(rows.length, 'agent')} of ${labels.join(', ')}: ${all}`
}
