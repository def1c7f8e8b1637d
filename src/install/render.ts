// What install did, for people.
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../format/text/printable.ts'
import { changeLines, permissionLines } from '../inspect/render-permissions.ts'
import { bundlePath, folderPath, type Root } from '../io/root/root-places.ts'
import type { Decision, Offer } from '../model/install.ts'
import type { Report } from '../model/report.ts'
import type { Install } from '../model/state.ts'

interface Shown {
  readonly report: Report
  readonly offer: Offer
  readonly decision: Exclude<Decision, { is: 'refused' }>
  readonly hasNewStatements: boolean
  /** Name of the root in messages. */
  readonly root: string
  /** Whether the permissions were just shown, with a question. */
  readonly wasAsked: boolean
  /** Nothing was done. */
  readonly isDryRun: boolean
}

export function renderInstalled(
  { report, offer, decision, hasNewStatements, root, wasAsked, isDryRun }: Shown,
  style: Style,
): string {
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

/** The same for `--json`. */
export function installedJson(
  { skipped, identity }: Report,
  { agent, version, permissions }: Offer,
  decision: Exclude<Decision, { is: 'refused' }>,
  root: Root,
) {
  const isNew = decision.is === 'install'
  const { verdict, anchors, signers, allowed, unpacked } = isNew ? decision.pending.install : decision.install
  return {
    agent,
    version,
    passed: true,
    previous: isNew ? (decision.previous ?? null) : version,
    changed: isNew,
    bundle: bundlePath(root, agent),
    folder: unpacked ? folderPath(root, agent) : null,
    identity,
    verdict,
    anchors,
    signers,
    allowed,
    skipped,
    permissions: permissionLines(permissions),
    ...(isNew && !decision.isFirst && decision.changes),
  }
}

/** The verdict, the signers, and the exceptions that flags allowed. */
function trustLine({ verdict, anchors, allowed }: Install, style: Style): string {
  const word = verdict === 'trusted' ? style.green(verdict) : style.yellow(verdict)
  const who = anchors.length === 0 ? '' : `, signed by ${anchors.join(' and ')}`
  const flags = allowed.length === 0 ? '' : `, allowed by flag: ${allowed.join(', ')}`
  return `${word}${printable(who + flags)}`
}
