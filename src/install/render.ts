// Shows a person what an install did, or why a bundle was not installed. The exit code of a refusal says who has to act.

import type { Io } from '../cli/command.ts'
import type { Refused } from '../cli/render/refusal.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { permissionLines } from '../inspect/permission-lines.ts'
import { changeLines } from '../inspect/render-permissions.ts'
import { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { Decision, Offer } from '../model/install.ts'
import type { Report } from '../model/report.ts'
import type { Install } from '../model/state.ts'
import { packHint } from '../pack/foreign-refusals.ts'
import { printable } from '../text/printable.ts'
import { saysPackIt } from '../verify/make-report.ts'
import { judgedRefusal, renderRefused } from '../verify/render.ts'
import { type InstallOutcome, InstallRefusedError, type Placed } from './outcome.ts'

interface Shown {
  readonly placed: Placed
  /** Name of the root in messages. */
  readonly root: string
  /** Whether the permissions were just shown, with a question. */
  readonly wasAsked: boolean
  /** Nothing was done. */
  readonly isDryRun: boolean
}

export function renderInstalled({ placed, root, wasAsked, isDryRun }: Shown, style: Style): string {
  const { report, offer, decision, hasNewStatements } = placed
  const done = decision.is === 'install'
  const install = done ? decision.pending.install : decision.install
  const name = style.bold(printable(`${offer.agent} ${offer.version}`))
  const before = done && decision.previous !== undefined ? ` in the place of ${decision.previous}` : ''
  const what = done
    ? `${isDryRun ? 'would be ' : ''}installed in ${root}${before}`
    : `is installed in ${root} already${hasNewStatements ? '; what is stated about it is new' : ''}`
  const lines = [`${style.green(SYMBOLS.ok)} ${name} ${printable(what)}`, `  ${trustLine(install, style)}`]
  if (done && decision.isFirst && !wasAsked)
    lines.push(...permissionLines(offer.permissions).map(line => `  ${style.yellow('+')} ${line}`))
  if (done && !decision.isFirst) lines.push(...changeLines(decision.changes, style).map(line => `  ${line}`))
  if (install.allowed.length > 0)
    lines.push(...report.skipped.map(line => style.dim(`  not checked: ${printable(line)}`)))
  if (install.verdict === 'rolled_back')
    lines.push(`  verify and load go on answering rolled_back, until rlp trust reset ${offer.agent}`)
  return `${lines.join('\n')}\n`
}

/** The verdict, the signers, and the exceptions that flags allowed. */
function trustLine({ verdict, anchors, allowed }: Install, style: Style): string {
  const word = verdict === 'trusted' ? style.green(verdict) : style.yellow(verdict)
  const who = anchors.length === 0 ? '' : `, signed by ${anchors.join(' and ')}`
  const flags = allowed.length === 0 ? '' : `, allowed by flag: ${allowed.join(', ')}`
  return `${word}${printable(who + flags)}`
}

/** Undefined for what is in place. The exit code of a verdict is that of verify. */
export function renderedRefusal(
  outcome: InstallOutcome,
  io: Pick<Io, 'columns'>,
): (Omit<Refused, 'tool'> & { readonly exit: ExitCode }) | undefined {
  const { report } = outcome
  if (outcome.is === 'not-verified') {
    const { foreign } = outcome
    return judgedRefusal(
      report,
      {
        doing: 'install',
        hint: hintFor(report, foreign),
        extra: foreign.length > 0 ? { foreign } : {},
        body: (style: Style) => [
          renderRefused(report, style, io.columns).trimEnd(),
          ...foreign.map(line => `  - ${printable(line)}`),
        ],
      },
      io,
    )
  }
  if (outcome.is === 'not-begun') return notBegun(outcome.offer)
  const { decision, offer } = outcome
  return decision.is === 'refused' ? refused(report, offer, decision) : undefined
}

function hintFor({ verdict, form, reasons, target }: Report, foreign: readonly string[]): string | undefined {
  if (saysPackIt(reasons) && foreign.length === 0) return reasons[0]?.hint
  const isRequired = reasons.some(({ code }) => code === 'signature_required')
  if (verdict === 'unsigned' && isRequired) return 'Ask its author to sign it with rlp agent sign'
  if (verdict === 'unsigned')
    return 'Ask its author to sign it with rlp agent sign. If you know where it comes from, --allow-unsigned installs it and records that'
  if (verdict === 'rolled_back' && reasons[0]?.code === 'older')
    return 'Install the newest version. To take the older version on purpose, --allow-downgrade does it and records it'
  if (foreign.length > 0) return `Get the bundle that rlp agent pack made. ${packHint(target)}`
  if (verdict === 'invalid' && form === 'directory')
    return 'An unpacked bundle is installed unchanged. If this is a folder that you work in, run rlp agent pack and install the bundle'
  return reasons[0]?.hint
}

/** A first install shows all permissions, and a person has to confirm it. */
function notBegun({ agent, permissions }: Offer) {
  const lines = permissionLines(permissions)
  return {
    error: new RlpError(
      'NEEDS_ANSWER',
      `Cannot install ${agent} for the first time: no person can be asked`,
      { hint: 'Read what it may do. If all of it is meant, add --yes' },
    ),
    exit: EXIT.call,
    extra: { permissions: lines },
    body: (style: Style) => [
      style.bold(printable(agent)),
      ...lines.map(line => `  ${style.yellow('+')} ${line}`),
    ],
  }
}

function refused(
  report: Report,
  { agent }: Offer,
  { refusals, changes }: Extract<Decision, { is: 'refused' }>,
) {
  const { verdict, skipped } = report
  const [{ reason }, ...more] = refusals
  return {
    error: new InstallRefusedError(agent, refusals, report),
    exit: refusals.every(({ reason }) => reason === 'widened') ? EXIT.denied : EXIT.bundle,
    extra: { reason, verdict, skipped, refusals, ...changes },
    body: (style: Style) => [
      ...changeLines(changes, style),
      ...more.map(({ message }) => `${style.yellow('also:')} ${printable(message)}`),
    ],
  }
}
