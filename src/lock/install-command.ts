// rlp agent install: a verified bundle into a root, by one rename.

import { defineCommand, type Io } from '../cli/command.ts'
import { mayAsk, type OpenPrompter, openTerminal, refusedToWrite } from '../cli/interactive.ts'
import { auditIn } from '../cli/options.ts'
import { refuseUnrecorded } from '../cli/render/refusal.ts'
import { report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { install } from '../install/install.ts'
import { flagsOf, INSTALL_OPTIONS, INSTALL_SOURCE, type InstallArgs, isConsent } from '../install/options.ts'
import { type InstallOutcome, installAuditEntry, installResult } from '../install/outcome.ts'
import { askToInstall, notBegun, notVerified, refused, renderInstalled } from '../install/render.ts'
import { bundleSource } from '../io/reference.ts'
import type { Root } from '../io/root/root-places.ts'
import { rootFor } from '../io/root/roots.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { warningLines } from '../verify/ends-soon.ts'
import { judgingOf, locksOf } from '../verify/judging-options.ts'
import { installAllLocked } from './ask-install-locked.ts'

export const command = defineCommand({
  name: 'agent install',
  summary: 'verify a bundle, and put it in the place of its last version',
  positionals: [INSTALL_SOURCE],
  options: INSTALL_OPTIONS,
  examples: [
    ['rlp agent install dist/mailer-0.1.0.agent.bundle', 'shows its permissions, and asks the first time'],
    ['rlp agent install mailer.tgz --expect mailer@^0.2 --yes', 'in a pipeline'],
    ['rlp agent install dist/mailer-0.1.0.agent.bundle --locked --yes', 'only as rlp.lock pins it'],
    ['rlp agent install --lock rlp.lock', 'all that a lock names, as it pins it'],
    ['rlp agent install --lock rlp.lock --dry-run', 'what that would change'],
    [
      'rlp agent install --lock mail.lock --lock sales.lock --prune --yes',
      'a host equal to two locks: what they do not name any more is removed',
    ],
    [
      'rlp agent install dist/mailer-0.2.0.agent.bundle --root /srv/agents --allow-caps-change',
      'into another root, which needs its own consent',
    ],
  ],
  notes:
    'One file, <root>/<name[@variant]>.agent.bundle, is swapped by a rename, so the old or the new one is always in place. The folder beside it is unpacked from the same bytes for runtimes that read folders.\n\nRefused: a bundle that is not trusted, is older than before, has another signer, or may do more than before. A flag allows an unsigned bundle, and each of the other three; it is recorded, and rlp agent list shows it.\n\nA tool does more if it is new, if its method, path or header changes, or if an argument that leaves with a call accepts more values: in a template, in a body, on standard input or in a file. An argument may become narrower; if two schemas cannot be compared, the new one counts as wider.',
  run: (args, io) => runInstall(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runInstall(args: InstallArgs, io: Io, open: OpenPrompter): Promise<ExitCode> {
  const locks = await locksOf(args, io)
  const lockConsents = await isConsent(locks[0], args.lock.length > 0)
  const flags = flagsOf(args, lockConsents)
  refuseUnused(args)
  if (args.bundle === undefined) return installAllLocked({ locks, flags }, args, io, open)
  const source = await bundleSource(args.bundle, io.cwd)
  const root = await rootFor(args.root, io.cwd)
  const { expect, allowDowngrade } = args
  const asks = mayAsk(io, { json: args.json, nonInteractive: args.yes })
  // What is only looked at is no decision.
  const audit = args.dryRun ? undefined : await auditIn(args, io)
  let lost: RlpError | undefined
  const record = (outcome: InstallOutcome, sha256: string | undefined): void => {
    try {
      audit?.record(installAuditEntry(outcome, sha256, { root: root.path, lockConsents }))
    } catch (error) {
      // What is refused is refused in any case, and is told as ever.
      if (!(error instanceof RlpError) || isAccepted(outcome)) throw error
      lost = error
    }
  }
  const outcome = await install({
    source,
    root,
    flags,
    judging: { ...judgingOf(args, io), locks, expect, allowDowngrade, label: source.label },
    dryRun: args.dryRun,
    mayBegin: async offer => args.yes || (asks && (await askToInstall(offer, io, open))),
    onDecided: audit && record,
  })
  if (lost !== undefined) return unrecorded(outcome, lost, args, io)
  return told(outcome, { root, wasAsked: asks && !args.dryRun }, args, io)
}

/** @throws UsageError for --prune without all that locks name, and for what only says something about --prune */
function refuseUnused({ bundle, prune, allowPruneAll }: InstallArgs): void {
  if (prune && bundle !== undefined)
    throw new UsageError('Cannot use --prune with one bundle: it keeps a root equal to whole locks', {
      field: 'prune',
      hint: 'Leave the bundle out, and name each lock of this host with --lock',
    })
  if (allowPruneAll && !prune)
    throw new UsageError('Cannot use --allow-prune-all without --prune: nothing is removed', {
      field: 'allow-prune-all',
      hint: 'Add --prune, or leave it out',
    })
}

/** Whether it is put in place, or is there. */
function isAccepted(outcome: InstallOutcome): boolean {
  return outcome.is === 'decided' && outcome.decision.is !== 'refused'
}

/** A refusal that the audit log does not have: it is told, and then that. */
function unrecorded(outcome: InstallOutcome, lost: RlpError, args: InstallArgs, io: Io): ExitCode {
  if (!args.json) told(outcome, undefined, args, io)
  const { verdict, reasons } = outcome.report
  return refuseUnrecorded(lost, { tool: 'agent.install', extra: { verdict, reasons } }, args, io)
}

function told(
  outcome: InstallOutcome,
  placed: { readonly root: Root; readonly wasAsked: boolean } | undefined,
  args: InstallArgs,
  io: Io,
): ExitCode {
  if (outcome.is === 'not-verified') return notVerified(outcome, args, io)
  if (outcome.is === 'not-begun') {
    // A person said no, or none could be asked.
    if (placed?.wasAsked && !args.yes) throw refusedToWrite(`install ${outcome.offer.agent}`)
    return notBegun(outcome.offer, args, io)
  }
  const { report: judged, offer, decision } = outcome
  if (decision.is === 'refused') return refused(judged, offer, decision, args, io)
  if (placed === undefined) return EXIT.ok
  const done = { ...outcome, decision }
  const { root, wasAsked } = placed
  report(io, args, {
    tool: 'agent.install',
    result: installResult(done, root),
    warnings: warningLines([judged]),
    quiet: args.dryRun ? undefined : [offer.agent],
    text: () =>
      renderInstalled(
        { placed: done, root: root.label, wasAsked, isDryRun: args.dryRun },
        createStyle(io.color),
      ),
  })
  return EXIT.ok
}
