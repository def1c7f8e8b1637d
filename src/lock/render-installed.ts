// Shows what became of all agents that locks name, in order, and of those that no lock names any more.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { failuresOf, printFailures, worstExit } from '../cli/each.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { changeLines } from '../inspect/render-permissions.ts'
import type { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../model/exit-code.ts'
import type { InstallRefusal } from '../model/install.ts'
import { VERDICTS } from '../model/verdict.ts'
import { asFlags } from '../text/flag-name.ts'
import { printable } from '../text/printable.ts'
import { countsOf, plural } from '../text/words.ts'
import type { Pruned, WholeOutcome } from './install-all.ts'
import type { Become, LockedOutcome } from './install-locked.ts'
import type { PutByLock } from './prune.ts'

export function wholeExit({ outcomes, pruned }: WholeOutcome): ExitCode {
  return worstExit(
    outcomes.map(one => lockedRow(one).exit),
    pruned?.failed ?? [],
  )
}

export function printWhole(
  { locks, outcomes, pruned, changed }: WholeOutcome,
  isDryRun: boolean,
  args: GlobalArgs,
  io: Io,
  exit: ExitCode,
): void {
  const rows = outcomes.map(lockedRow)
  const removed = pruned?.removed ?? []
  const style = createStyle(io.color)
  report(io, args, {
    tool: 'agent.install',
    result: {
      locks: locks.map(({ label, lock, digest }) => ({ lock: label, name: lock.name ?? null, digest })),
      passed: exit === EXIT.ok,
      changed,
      agents: rows.map(({ exit: _, ...row }) => row),
      prune: pruned && { removed, kept: pruned.kept, failed: failuresOf(pruned.failed) },
    },
    quiet: !isDryRun && exit === EXIT.ok ? [...rows, ...removed].map(({ agent }) => agent) : undefined,
    text: () =>
      [
        ...outcomes.map(one => renderLocked(lockedRow(one), one, isDryRun, style)),
        ...prunedLines(removed, isDryRun, style),
      ].join(''),
  })
  const labels = locks.map(({ label }) => label)
  note(io, args, lockedSummary(rows, labels, removed.length, isDryRun))
  if (pruned !== undefined) for (const line of prunedNotes(pruned)) note(io, args, line)
  printFailures(io, args, pruned?.failed ?? [])
}

type RowWord = 'installed' | 'there' | 'kept' | 'refused' | 'failed'

/** As an error of an answer is. */
interface RowReason {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
}

export interface LockedRow {
  readonly agent: string
  readonly version: string
  readonly source: string
  readonly is: RowWord
  /** Today's; null if it was not judged. */
  readonly verdict: string | null
  /** Why it is kept, refused or failed; left out otherwise. */
  readonly reason?: RowReason
  /** What it may do more than before. */
  readonly widened: readonly { readonly message: string }[]
  readonly exit: ExitCode
}

type RowState = Pick<LockedRow, 'is' | 'verdict' | 'reason' | 'widened' | 'exit'>

function lockedRow(one: LockedOutcome): LockedRow {
  const { agent, locked } = one
  const { version, source } = locked
  return { agent, version, source, ...('error' in one ? failedState(one.error) : installedState(one)) }
}

function failedState(error: RlpError): RowState {
  return { is: 'failed', verdict: null, reason: reasonOf(error), widened: [], exit: exitCodeOf(error) }
}

function installedState({ outcome, kept }: Become): RowState {
  const { verdict, reasons } = outcome.report
  if (outcome.is === 'not-verified') {
    const [reason = { code: verdict, message: '' }] = reasons
    const exit = VERDICTS[verdict].exit as ExitCode
    return { is: 'refused', verdict, reason: reasonOf(reason), widened: [], exit }
  }
  if (outcome.is === 'not-begun')
    return { is: 'refused', verdict, reason: NEEDS_YES, widened: [], exit: EXIT.call }
  const { decision } = outcome
  if (decision.is === 'refused') {
    const isWider = decision.refusals.every(({ reason }) => reason === 'widened')
    const { widened } = decision.changes
    const exit = isWider ? EXIT.denied : EXIT.bundle
    return { is: 'refused', verdict, reason: refusalReason(decision.refusals[0]), widened, exit }
  }
  if (kept !== undefined)
    return { is: 'kept', verdict, reason: refusalReason(kept), widened: [], exit: EXIT.ok }
  const isNew = decision.is === 'install'
  const widened = isNew && !decision.isFirst ? decision.changes.widened : []
  return { is: isNew ? 'installed' : 'there', verdict, widened, exit: EXIT.ok }
}

const NEEDS_YES = {
  code: 'NEEDS_ANSWER',
  message: 'its first install needs a yes',
  hint: 'Read what it may do with rlp agent inspect, and add --yes; or name the lock with --lock',
}

function refusalReason({ reason, message, hint }: InstallRefusal): RowReason {
  return reasonOf({ code: reason, message, hint })
}

/** The hint names flags, as a person writes them. */
function reasonOf({ code, message, hint }: RowReason): RowReason {
  return { code, message, hint: hint && asFlags(hint) }
}

function renderLocked(row: LockedRow, one: LockedOutcome, isDryRun: boolean, style: Style): string {
  const { agent, version, is, verdict, reason } = row
  const name = printable(`${agent} ${version}`)
  const message = printable(reason?.message ?? '')
  const hint = reason?.hint === undefined ? '' : `${style.dim(`  hint: ${printable(reason.hint)}`)}\n`
  if (is === 'refused' || is === 'failed') {
    const word = verdict === null || verdict === 'trusted' ? is : verdict
    return `${style.red(SYMBOLS.bad)} ${style.bold(name)}: ${word}: ${message}\n${hint}`
  }
  if (is === 'kept')
    return `${style.green(SYMBOLS.ok)} ${style.bold(name)} is kept, ${verdict}: ${message}\n${hint}`
  const outcome = 'error' in one ? undefined : one.outcome
  const decision = outcome?.is === 'decided' ? outcome.decision : undefined
  const before =
    decision?.is === 'install' && decision.previous !== undefined
      ? ` in the place of ${decision.previous}`
      : ''
  const what = is === 'there' ? 'is there' : `${isDryRun ? 'would be ' : ''}installed${before}`
  const lines = [`${style.green(SYMBOLS.ok)} ${style.bold(name)} ${printable(what)}, ${verdict}`]
  if (decision?.is === 'install' && !decision.isFirst)
    lines.push(...changeLines(decision.changes, style).map(line => `  ${line}`))
  return `${lines.join('\n')}\n`
}

/** A line for each agent that no lock names any more. */
function prunedLines(removed: readonly PutByLock[], isDryRun: boolean, style: Style): string[] {
  return removed.map(({ agent, version, lock }) => {
    const what = `is ${isDryRun ? 'to be ' : ''}removed: the lock ${lock} has installed it, and names it no more`
    return `${style.green(SYMBOLS.ok)} ${style.bold(printable(`${agent} ${version}`))} ${printable(what)}\n`
  })
}

/** What stays, and why. */
function prunedNotes({ kept, isWaiting }: Pruned): string[] {
  return [
    ...(isWaiting ? ['nothing is removed: not every agent of the locks is there and trusted'] : []),
    ...kept.map(
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
  const words: readonly RowWord[] = ['installed', 'there', 'kept', 'refused', 'failed']
  const shown = countsOf(words, rows)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${isDryRun && word === 'installed' ? 'would be ' : ''}${word}`)
  const gone = removed === 0 ? [] : [`${removed} ${isDryRun ? 'to be ' : ''}removed`]
  const all = [...shown, ...gone].join(', ') || 'nothing to install'
  return `${plural(rows.length, 'agent')} of ${labels.join(', ')}: ${all}`
}
