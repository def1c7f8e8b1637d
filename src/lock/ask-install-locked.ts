// Installs all agents that locks name, as rlp agent install does without a bundle, and says what became of each. With --prune it asks
// before it removes agents that no lock names any more. Pruning comes last, and only if every named agent is there.
import type { Io } from '../cli/command.ts'
import { type Failed, failuresOf, printFailures, worstExit } from '../cli/each.ts'
import { askForYes, mayAsk, type OpenPrompter } from '../cli/interactive.ts'
import { auditIn } from '../cli/options.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { changeLines } from '../inspect/render-permissions.ts'
import type { InstallArgs } from '../install/options.ts'
import { installAuditEntry, isChangedInstall } from '../install/outcome.ts'
import { askToInstall } from '../install/render.ts'
import type { Root } from '../io/root/root-places.ts'
import { rootFor, rootsFor } from '../io/root/roots.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../model/exit-code.ts'
import type { InstallFlags, InstallRefusal } from '../model/install.ts'
import { LOCK_FILE } from '../model/lock.ts'
import { asFlags } from '../model/option-words.ts'
import { VERDICTS } from '../model/verdict.ts'
import { printable } from '../text/printable.ts'
import { countsOf, plural } from '../text/words.ts'
import { judgingOf } from '../verify/judging-options.ts'
import { type Become, installLocked, type LockedOutcome } from './install-locked.ts'
import { usableLock } from './lock-file.ts'
import {
  type Before,
  beforeInstall,
  type PruneCall,
  type PrunePlan,
  type PutByLock,
  planPrune,
  prune,
  refuseMost,
  refuseUnprunable,
} from './prune.ts'

/** @param how `locks`: absolute. @throws RlpError USAGE without a lock */
export async function installAllLocked(
  { locks: paths, flags }: { readonly locks: readonly string[]; readonly flags: InstallFlags },
  args: InstallArgs,
  io: Io,
  open: OpenPrompter,
): Promise<ExitCode> {
  if (paths.length === 0 || args.expect !== undefined)
    throw new UsageError(
      paths.length === 0
        ? 'Cannot install: no bundle is named, and no lock'
        : 'Cannot use --expect with all that a lock names: the lock says which agents they are',
      {
        field: paths.length === 0 ? 'bundle' : 'expect',
        hint: 'Name a bundle; or give --lock FILE or --locked, to install all that a lock names',
      },
    )
  const labels = args.lock.length > 0 ? args.lock : [LOCK_FILE]
  const locks = await Promise.all(
    paths.map((path, at) => usableLock({ path, label: labels[at] ?? LOCK_FILE })),
  )
  if (args.prune) refuseUnprunable(locks, args.lock.length > 0)
  const root = await rootFor(args.root, io.cwd)
  const asks =
    !args.dryRun && !flags.lockConsents && mayAsk(io, { json: args.json, nonInteractive: args.yes })
  const audit = args.dryRun ? undefined : await auditIn(args, io)
  const { lockConsents } = flags
  const pruning = { locks, root, dryRun: args.dryRun, signal: io.signal }
  const before = await beforeInstall(pruning)
  const outcomes = await installLocked({
    locks,
    root,
    flags,
    asks,
    dryRun: args.dryRun,
    roots: await rootsFor(args.root, io.cwd),
    judging: { ...judgingOf(args, io), allowDowngrade: args.allowDowngrade },
    mayBegin: async offer => args.yes || (asks && (await askToInstall(offer, io, open))),
    onDecided:
      audit &&
      ((outcome, sha256) =>
        audit.record(installAuditEntry(outcome, sha256, { root: root.path, lockConsents }))),
  })
  const rows = outcomes.map(lockedRow)
  const isAllThere = rows.every(({ exit, verdict }) => exit === EXIT.ok && verdict === 'trusted')
  const { prune: isAsked, allowPruneAll } = args
  const gone: Pruned | undefined = isAsked
    ? await pruned({ ...pruning, before, isAllThere, allowPruneAll }, plan =>
        askToPrune(plan, root, args, io, open),
      )
    : undefined
  const exit = worstExit(
    rows.map(row => row.exit),
    gone?.failed ?? [],
  )
  const isDone = exit === EXIT.ok
  const isPut = outcomes.some(one => !('error' in one) && isChangedInstall(one.outcome))
  report(io, args, {
    tool: 'agent.install',
    result: {
      locks: locks.map(({ label, lock, digest }) => ({ lock: label, name: lock.name ?? null, digest })),
      passed: isDone,
      changed: isPut || (gone?.removed.length ?? 0) > 0,
      agents: rows.map(({ exit: _, ...row }) => row),
      prune: gone && { removed: gone.removed, kept: gone.kept, failed: failuresOf(gone.failed) },
    },
    quiet: !args.dryRun && isDone ? [...rows, ...(gone?.removed ?? [])].map(({ agent }) => agent) : undefined,
    text: () =>
      [
        ...outcomes.map(one => renderLocked(lockedRow(one), one, args.dryRun, createStyle(io.color))),
        ...prunedLines(gone?.removed ?? [], args.dryRun, createStyle(io.color)),
      ].join(''),
  })
  note(io, args, lockedSummary(rows, labels, gone?.removed.length ?? 0, args.dryRun))
  if (gone !== undefined) for (const line of prunedNotes(gone)) note(io, args, line)
  printFailures(io, args, gone?.failed ?? [])
  return exit
}

interface Pruned {
  /** With --dry-run those that would be removed. */
  readonly removed: readonly PutByLock[]
  /** No lock names them, and their file is another one by now: they stay. */
  readonly kept: readonly PutByLock[]
  readonly failed: readonly Failed[]
  /** Whether nothing is removed because an agent that the locks name is not there, or not trusted. */
  readonly isWaiting: boolean
}

interface PrunedCall extends PruneCall {
  readonly before: Before
  /** Whether each agent that the locks name is there, and trusted. */
  readonly isAllThere: boolean
  readonly allowPruneAll: boolean
}

/** @param agree throws unless a person agrees */
async function pruned(
  { before, isAllThere, allowPruneAll, ...call }: PrunedCall,
  agree: (plan: PrunePlan) => Promise<void>,
): Promise<Pruned> {
  const nothing = { removed: [], kept: [], failed: [], isWaiting: false }
  if (!isAllThere) return { ...nothing, isWaiting: true }
  try {
    const plan = await planPrune(call)
    const { unnamed, kept } = plan
    if (unnamed.length === 0) return { ...nothing, kept }
    if (!allowPruneAll) refuseMost(plan, before, call)
    if (!call.dryRun) await agree(plan)
    const { removed, failed } = await prune(plan, call)
    return {
      ...nothing,
      removed,
      kept,
      failed: failed.map(({ agent, error }) => ({ target: agent, error })),
    }
  } catch (error) {
    // What was installed is told all the same.
    if (!(error instanceof RlpError) || call.signal.aborted) throw error
    return { ...nothing, failed: [{ target: call.root.label, error }] }
  }
}

/** @throws RlpError NEEDS_ANSWER if no person can be asked, CANCELLED for a no */
async function askToPrune(
  { unnamed }: PrunePlan,
  root: Root,
  { yes, json }: InstallArgs,
  io: Io,
  open: OpenPrompter,
): Promise<void> {
  if (yes) return
  const doing = `prune "${root.label}"`
  if (!mayAsk(io, { json, nonInteractive: false }))
    throw new RlpError(
      'NEEDS_ANSWER',
      `Cannot ${doing}: ${plural(unnamed.length, 'agent')} would be removed, and no person can be asked`,
      { hint: 'See with --dry-run which they are, and add --yes' },
    )
  const prompter = await open(doing, io)
  const lines = unnamed.map(
    ({ agent, version, lock }) => `${agent} ${version}, which the lock ${lock} has installed`,
  )
  prompter.note(lines.join('\n'), 'No lock names any more')
  await askForYes(prompter, `Remove ${plural(unnamed.length, 'agent')} from ${root.label}?`, {
    doing,
    otherwise: 'nothing was removed',
  })
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
