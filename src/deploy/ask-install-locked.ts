// rlp agent install without names: all that a lock names.
import { auditIn } from '../cli/audit-option.ts'
import type { Io } from '../cli/command.ts'
import { worstExit } from '../cli/each.ts'
import { mayAsk, type OpenPrompter } from '../cli/interactive.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { askToInstall } from '../install/ask-install.ts'
import { installDecided } from '../install/decided.ts'
import type { InstallArgs } from '../install/options.ts'
import { rootFor, rootsFor } from '../io/root/roots.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { InstallFlags } from '../model/install.ts'
import { LOCK_FILE } from '../model/lock.ts'
import { UsageError } from '../model/usage-error.ts'
import { judgingOf } from '../verify/judging-options.ts'
import { installLocked } from './install-locked.ts'
import { usableLock } from './lock-file.ts'
import { lockedRow, lockedSummary, renderLocked } from './render-locked.ts'

/** @param how `lock`: absolute, if one was named. @throws RlpError USAGE without a lock */
export async function installAllLocked(
  { lock: path, flags }: { readonly lock: string | undefined; readonly flags: InstallFlags },
  args: InstallArgs,
  io: Io,
  open: OpenPrompter,
): Promise<ExitCode> {
  if (path === undefined || args.expect !== undefined)
    throw new UsageError(
      path === undefined
        ? 'Cannot install: no bundle is named, and no lock'
        : 'Cannot use --expect with all that a lock names: the lock says which agents they are',
      {
        field: path === undefined ? 'bundle' : 'expect',
        hint: 'Name a bundle; or give --lock FILE or --locked, to install all that a lock names',
      },
    )
  const label = args.lock ?? LOCK_FILE
  const lock = await usableLock({ path, label })
  const root = await rootFor(args.root, io.cwd)
  const asks =
    !args.dryRun && !flags.lockConsents && mayAsk(io, { json: args.json, nonInteractive: args.yes })
  const audit = args.dryRun ? undefined : await auditIn(args, io)
  const { lockConsents } = flags
  const outcomes = await installLocked({
    ...{ lock, root, flags, asks, dryRun: args.dryRun, signal: io.signal },
    roots: await rootsFor(args.root, io.cwd),
    options: { ...judgingOf(args, io), allowDowngrade: args.allowDowngrade },
    mayBegin: async offer => args.yes || (asks && (await askToInstall(offer, io, open))),
    onDecided:
      audit &&
      ((outcome, sha256) => audit.record(installDecided(outcome, sha256, { root: root.path, lockConsents }))),
  })
  const rows = outcomes.map(lockedRow)
  report(io, args, {
    tool: 'agent.install',
    result: {
      ...{ lock: label, digest: lock.digest, passed: rows.every(({ exit }) => exit === EXIT.ok) },
      agents: rows.map(({ exit: _, ...row }) => row),
      ...(args.dryRun && { dryRun: true }),
    },
    quiet:
      !args.dryRun && rows.every(({ exit }) => exit === EXIT.ok) ? rows.map(({ agent }) => agent) : undefined,
    text: () =>
      rows
        .map((row, at) => renderLocked(row, outcomes[at]?.outcome, args.dryRun, createStyle(io.color)))
        .join(''),
  })
  note(io, args, lockedSummary(rows, label, args.dryRun))
  return worstExit(
    rows.map(({ exit }) => exit),
    [],
  )
}
