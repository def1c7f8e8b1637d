// rlp agent install: a verified bundle into a root, by one rename.
import { bundleSource } from '../../io/bundle-source.ts'
import { bundlePath, folderPath, type Root } from '../../io/install-root.ts'
import { rootFor } from '../../io/roots.ts'
import { RlpError } from '../../model/error.ts'
import type { Decision, Offer, Refusal } from '../../model/install.ts'
import type { Report } from '../../model/report.ts'
import { VERDICTS } from '../../model/verdict.ts'
import { defineCommand, type Io } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { flagsOf, INSTALL_OPTIONS, INSTALL_SOURCE, type InstallArgs, trustOf } from '../install-flags.ts'
import { install, type Outcome } from '../installing.ts'
import { mayAsk, type OpenPrompter, openTerminal, refusedToWrite } from '../interactive.ts'
import { renderInstalled } from '../render/installed.ts'
import { changeLines, permissionLines } from '../render/permissions.ts'
import { printRefusal } from '../render/refusal.ts'
import { report } from '../render/report.ts'
import { printable } from '../render/sanitize.ts'
import { createStyle } from '../render/style.ts'
import { renderVerification } from '../render/verification.ts'
import { YES_NO } from '../wizard/question.ts'

export const command = defineCommand({
  name: 'agent install',
  summary: 'verify a bundle, and put it in the place of its last version',
  positionals: [INSTALL_SOURCE],
  options: INSTALL_OPTIONS,
  examples: [
    ['rlp agent install dist/mailer-0.1.0.agent.bundle', 'shows what it may do, and asks the first time'],
    ['rlp agent install mailer.tgz --expect mailer@^0.2 --yes', 'in a pipeline'],
    ['rlp agent install dist/mailer-0.2.0.agent.bundle --root /srv/agents', 'into another root'],
  ],
  notes:
    'One file, <root>/<name[@variant]>.agent.bundle, is swapped by a rename: until the new one is in place, the old one is. The folder beside it is derived from the same bytes for runtimes that read folders.\n\nRefused: what is not trusted, what is older than before, what another signed than before, and what may do more than before. Each has a flag, which is recorded and shown by rlp agent list.',
  run: (args, io) => runInstall(args, io, openTerminal),
})

/** @param open how to get at a person, where there is one */
export async function runInstall(args: InstallArgs, io: Io, open: OpenPrompter): Promise<ExitCode> {
  const source = await bundleSource(args.bundle, io.cwd)
  const root = await rootFor(args.root, io.cwd)
  const { expect, allowUnsigned, allowDowngrade } = args
  const options = { expect, allowUnsigned, allowDowngrade, label: source.label, signal: io.signal }
  const asks = mayAsk(io, { json: args.json, nonInteractive: args.yes })
  const outcome = await install({
    source,
    root,
    flags: flagsOf(args),
    options: { ...options, ...trustOf(args, io) },
    signal: io.signal,
    mayBegin: async offer => args.yes || (asks && (await ask(offer, io, open))),
  })
  if (outcome.is === 'not-verified') return notVerified(outcome, args, io)
  if (outcome.is === 'not-begun') return notBegun(outcome.offer, args, io)
  const { decision, offer } = outcome
  if (decision.is === 'refused') return refused(outcome.report, offer, decision, args, io)
  report(io, args, {
    tool: 'agent.install',
    result: resultOf(outcome.report, offer, decision, root),
    text: () =>
      renderInstalled(
        { report: outcome.report, offer, decision, root: root.label, wasAsked: asks },
        createStyle(io.color),
      ),
  })
  return EXIT.ok
}

async function ask(
  { agent, version, verdict, permissions }: Offer,
  io: Io,
  open: OpenPrompter,
): Promise<true> {
  const doing = `install ${agent}`
  const prompter = await open(doing, io)
  prompter.note(permissionLines(permissions).join('\n'), `${agent} ${version}, ${verdict}: it`)
  const reply = await prompter.choose({ message: 'Install it?', choices: YES_NO, fallback: 'no' })
  if (reply === 'yes') return true
  throw refusedToWrite(doing)
}

function resultOf(
  { skipped, manifestDigest }: Report,
  { agent, version, permissions }: Offer,
  decision: Exclude<Decision, { is: 'refused' }>,
  root: Root,
) {
  const isNew = decision.is === 'install'
  const { verdict, anchors, signers, allowed, unpacked } = isNew ? decision.pending.install : decision.install
  return {
    agent,
    version,
    previous: isNew ? (decision.previous ?? null) : version,
    changed: isNew,
    bundle: bundlePath(root, agent),
    folder: unpacked ? folderPath(root, agent) : null,
    manifestDigest,
    verdict,
    anchors,
    signers,
    allowed,
    skipped,
    permissions: permissionLines(permissions),
    ...(isNew && !decision.isFirst && decision.changes),
  }
}

/** The verdict is against it: the word and its exit code are those of verify. */
function notVerified(
  { report, foreign }: Extract<Outcome, { is: 'not-verified' }>,
  args: InstallArgs,
  io: Io,
): ExitCode {
  const { verdict, reasons, target, skipped } = report
  const [reason] = reasons
  const message = `Cannot install "${target}": ${verdict}: ${reason?.message ?? ''}`
  const hint = hintFor(report, foreign)
  printRefusal(io, args, {
    tool: 'agent.install',
    error: new RlpError('NOT_VERIFIED', message, hint === undefined ? {} : { hint }),
    extra: { reason: verdict, verdict, reasons, skipped, ...(foreign.length > 0 && { foreign }) },
    body: style => [
      renderVerification(report, style, io.columns).trimEnd(),
      ...foreign.map(line => `  - ${printable(line)}`),
    ],
  })
  return VERDICTS[verdict].exit as ExitCode
}

function hintFor({ verdict, form, reasons }: Report, foreign: readonly string[]): string | undefined {
  const isRequired = reasons.some(({ code }) => code === 'signature_required')
  if (verdict === 'unsigned' && isRequired) return 'Ask whoever made it to sign it with rlp agent sign'
  if (verdict === 'unsigned')
    return 'Ask whoever made it to sign it with rlp agent sign. If you know where it comes from, --allow-unsigned installs it and records that'
  if (verdict === 'rolled_back')
    return 'Install the newest version. If going back is meant, --allow-downgrade does it and records it'
  if (foreign.length > 0)
    return 'Get the bundle that rlp agent pack made. Or unpack this into a new folder, look at what it holds, and run rlp agent pack on that'
  if (verdict === 'invalid' && form === 'directory')
    return 'A folder is installed as it stands. If it is one that you work in, run rlp agent pack and install the bundle'
  return reasons[0]?.hint
}

/** A first install shows everything, and somebody has to say yes. */
function notBegun({ agent, permissions }: Offer, args: InstallArgs, io: Io): ExitCode {
  const lines = permissionLines(permissions)
  printRefusal(io, args, {
    tool: 'agent.install',
    error: new RlpError('NEEDS_ANSWER', `Cannot install ${agent} for the first time: nobody can be asked`, {
      hint: 'Read what it may do. If all of it is meant, add --yes',
    }),
    extra: { permissions: lines },
    body: style => [style.bold(printable(agent)), ...lines.map(line => `  ${style.yellow('+')} ${line}`)],
  })
  return EXIT.call
}

function refused(
  { verdict, skipped }: Report,
  { agent }: Offer,
  { refusals, changes }: Extract<Decision, { is: 'refused' }>,
  args: InstallArgs,
  io: Io,
): ExitCode {
  const [first, ...more]: readonly [Refusal, ...Refusal[]] = refusals
  printRefusal(io, args, {
    tool: 'agent.install',
    error: new RlpError('NOT_VERIFIED', `Cannot install ${agent}: ${first.message}`, { hint: first.hint }),
    extra: { reason: first.reason, verdict, skipped, refusals, ...changes },
    body: style => [
      ...changeLines(changes, style),
      ...more.map(({ message }) => `${style.yellow('also:')} ${printable(message)}`),
    ],
  })
  return EXIT.bundle
}
