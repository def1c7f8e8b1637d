// rlp agent install without names: all that locks name. With --prune, at last what they do not name any more goes.

import type { Io } from '../cli/command.ts'
import { failuresOf, printFailures, worstExit } from '../cli/each.ts'
import { mayAsk, type OpenPrompter } from '../cli/interactive.ts'
import { auditIn } from '../cli/options.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import type { InstallArgs } from '../install/options.ts'
import { installDecided, isChangedInstall } from '../install/outcome.ts'
import { askToInstall } from '../install/render.ts'
import { rootFor, rootsFor } from '../io/root/roots.ts'
import { UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { InstallFlags } from '../model/install.ts'
import { LOCK_FILE } from '../model/lock.ts'
import { judgingOf } from '../verify/judging-options.ts'
import { askToPrune, type Pruned, pruned } from './ask-prune.ts'
import { installLocked } from './install-locked.ts'
import { usableLock } from './lock-file.ts'
import { beforeInstall } from './prune.ts'
import { refuseUnprunable } from './prune-refusals.ts'
import { lockedRow, lockedSummary, prunedLines, prunedNotes, renderLocked } from './render-locked.ts'

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
      ((outcome, sha256) => audit.record(installDecided(outcome, sha256, { root: root.path, lockConsents }))),
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
