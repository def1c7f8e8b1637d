// What install did, for people.
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { permissionLines } from '../inspect/permission-lines.ts'
import { changeLines } from '../inspect/render-permissions.ts'
import type { Install } from '../model/state.ts'
import { printable } from '../text/printable.ts'
import type { Placed } from './install-result.ts'

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
