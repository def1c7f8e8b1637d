// Says what became of each agent of locks, and of what they do not name any more, with the exit code.
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { changeLines } from '../inspect/render-permissions.ts'
import type { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../model/exit-code.ts'
import type { InstallRefusal } from '../model/install.ts'
import { asFlags } from '../model/option-words.ts'
import { VERDICTS } from '../model/verdict.ts'
import { printable } from '../text/printable.ts'
import { countsOf, plural } from '../text/words.ts'
import type { Pruned } from './ask-prune.ts'
import type { Become, LockedOutcome } from './install-locked.ts'
import type { PutByLock } from './prune-call.ts'

type Word = 'installed' | 'there' | 'kept' | 'refused' | 'failed'

/** As an error of an answer is. */
interface Said {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
}

export interface LockedRow {
  readonly agent: string
  readonly version: string
  readonly source: string
  readonly is: Word
  /** Today's; null if it was not judged. */
  readonly verdict: string | null
  /** Why it is kept, refused or failed; left out otherwise. */
  readonly reason?: Said
  /** What it may do more than before. */
  readonly widened: readonly { readonly message: string }[]
  readonly exit: ExitCode
}

type Became = Pick<LockedRow, 'is' | 'verdict' | 'reason' | 'widened' | 'exit'>

export function lockedRow(one: LockedOutcome): LockedRow {
  const { agent, locked } = one
  const { version, source } = locked
  return { agent, version, source, ...('error' in one ? failed(one.error) : became(one)) }
}

function failed(error: RlpError): Became {
  return { is: 'failed', verdict: null, reason: said(error), widened: [], exit: exitCodeOf(error) }
}

function became({ outcome, kept }: Become): Became {
  const { verdict, reasons } = outcome.report
  if (outcome.is === 'not-verified') {
    const [reason = { code: verdict, message: '' }] = reasons
    const exit = VERDICTS[verdict].exit as ExitCode
    return { is: 'refused', verdict, reason: said(reason), widened: [], exit }
  }
  if (outcome.is === 'not-begun')
    return { is: 'refused', verdict, reason: NEEDS_YES, widened: [], exit: EXIT.call }
  const { decision } = outcome
  if (decision.is === 'refused') {
    const isWider = decision.refusals.every(({ reason }) => reason === 'widened')
    const { widened } = decision.changes
    const exit = isWider ? EXIT.denied : EXIT.bundle
    return { is: 'refused', verdict, reason: saidOf(decision.refusals[0]), widened, exit }
  }
  if (kept !== undefined) return { is: 'kept', verdict, reason: saidOf(kept), widened: [], exit: EXIT.ok }
  const isNew = decision.is === 'install'
  const widened = isNew && !decision.isFirst ? decision.changes.widened : []
  return { is: isNew ? 'installed' : 'there', verdict, widened, exit: EXIT.ok }
}

const NEEDS_YES = {
  code: 'NEEDS_ANSWER',
  message: 'its first install needs a yes',
  hint: 'Read what it may do with rlp agent inspect, and add --yes; or name the lock with --lock',
}

function saidOf({ reason, message, hint }: InstallRefusal): Said {
  return said({ code: reason, message, hint })
}

/** The hint names flags, as a person writes them. */
function said({ code, message, hint }: Said): Said {
  return { code, message, hint: hint && asFlags(hint) }
}

export function renderLocked(row: LockedRow, one: LockedOutcome, isDryRun: boolean, style: Style): string {
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
export function prunedLines(removed: readonly PutByLock[], isDryRun: boolean, style: Style): string[] {
  return removed.map(({ agent, version, lock }) => {
    const what = `is ${isDryRun ? 'to be ' : ''}removed: the lock ${lock} has installed it, and names it no more`
    return `${style.green(SYMBOLS.ok)} ${style.bold(printable(`${agent} ${version}`))} ${printable(what)}\n`
  })
}

/** What stays, and why. */
export function prunedNotes({ kept, isWaiting }: Pruned): string[] {
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
  const words: readonly Word[] = ['installed', 'there', 'kept', 'refused', 'failed']
  const shown = countsOf(words, rows)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${isDryRun && word === 'installed' ? 'would be ' : ''}${word}`)
  const gone = removed === 0 ? [] : [`${removed} ${isDryRun ? 'to be ' : ''}removed`]
  const all = [...shown, ...gone].join(', ') || 'nothing to install'
  return `${plural(rows.length, 'agent')} of ${labels.join(', ')}: ${all}`
}
