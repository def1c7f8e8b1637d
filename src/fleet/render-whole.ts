// Shows whole reports: of one bundle for people, of any number with --json. Of many bundles it shows one line for each accepted one, the
// reasons for each other one, and a summary.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { auditIn } from '../cli/options.ts'
import { width, wrap } from '../cli/render/layout.ts'
import { notePassed } from '../cli/render/passed-over.ts'
import { refuseUnrecorded } from '../cli/render/refusal.ts'
import { note, printText, report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { PassedOver, Report } from '../model/report.ts'
import { VERDICTS } from '../model/verdict.ts'
import { isOciReference } from '../oci/scheme.ts'
import { packHint } from '../pack/foreign-refusals.ts'
import { printable } from '../text/printable.ts'
import { grouped, plural } from '../text/words.ts'
import { warningLines } from '../verify/ends-soon.ts'
import { judgingOf, locksOf } from '../verify/judging-options.ts'
import { auditedBundle } from '../verify/make-report.ts'
import { openLocks } from '../verify/open-locks.ts'
import { renderVerification, verdictHint } from '../verify/render.ts'
import { exitOf } from '../verify/verify.ts'
import { judgedAll, Recorder } from './judge-all.ts'
import { FleetTally, listedText } from './tally.ts'
import type { FleetTask } from './task.ts'
import type { VerifyArgs } from './verify-options.ts'

export async function reportWhole(
  tasks: AsyncIterable<FleetTask>,
  passed: PassedOver,
  args: VerifyArgs,
  io: Io,
): Promise<ExitCode> {
  const tally = new FleetTally()
  const bundles: Report[] = []
  const warnings: string[] = []
  const style = createStyle(io.color)
  const locks = await openLocks(await locksOf(args, io))
  const audit = await auditIn(args, io)
  const recorder = audit && new Recorder(audit)
  const judging = { locks, ...judgingOf(args, io), withSha256: audit !== undefined }
  for (const { path, label, verification, sha256 } of await judgedAll(tasks, judging, io, one =>
    tally.addListed(one),
  )) {
    const { verdict } = verification.report
    const exit = exitOf(verification)
    recorder?.isRecorded(auditedBundle(verification.report, { accepted: exit === EXIT.ok, sha256 }))
    if (args.json) bundles.push(verification.report)
    else if (exit !== EXIT.ok || !args.quiet)
      printText(io, renderVerification(verification.report, style, io.columns))
    tally.add({ verdict, exit })
    if (await isForeign(verification.report, path)) warnings.push(`${label}: ${packHint(label)}`)
    warnings.push(...warningLines([verification.report]).filter(line => !warnings.includes(line)))
  }
  tally.isUnrecorded = recorder?.lost !== undefined
  const { exit, counts } = tally
  const summary = { bundles: tally.bundles, ...counts }
  const listedBy = tally.listedBy.size > 0 && { listedBy: Object.fromEntries(tally.listedBy) }
  const result = { bundles, passed: exit === EXIT.ok, summary, ...listedBy, skipped: passed }
  if (recorder?.lost !== undefined && args.json)
    return refuseUnrecorded(recorder.lost, { tool: 'agent.verify', extra: result }, args, io)
  report(io, args, { tool: 'agent.verify', result, warnings, text: () => '' })
  noteListed(io, args, tally)
  notePassed(io, args, passed)
  noteUnsigned(io, args, tally)
  if (recorder?.lost !== undefined)
    refuseUnrecorded(recorder.lost, { tool: 'agent.verify', extra: {} }, args, io)
  return exit
}

/** Whether it is an archive of another program, which `pack` takes, and no damaged bundle. */
async function isForeign({ reasons, form, target }: Report, path: string): Promise<boolean> {
  if (reasons[0]?.code !== 'not_canonical' || form === 'directory' || isOciReference(path)) return false
  return (await import('../pack/foreign-archive.ts')).looksForeign(path, target)
}

/** Of one bundle; its own report has the rest. */
const MOST_REASONS = 3
const WIDEST = Math.max(...Object.keys(VERDICTS).map(word => word.length))

export type OneOfMany = Pick<Report, 'verdict' | 'target' | 'agent' | 'reasons'>

/**
 * Ends in a newline.
 * @param room for one line: what does not fit becomes a block
 */
export function renderOneOfMany(
  report: OneOfMany,
  isAccepted: boolean,
  {
    style,
    columns,
    room,
    hinted,
  }: { style: Style; columns: number; room: number; hinted: Set<Report['verdict']> },
): string {
  const { verdict, target, agent } = report
  const mark = isAccepted ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
  const paint = verdict === 'trusted' ? style.green : isAccepted ? style.yellow : style.red
  const variant = agent?.variant === undefined ? '' : `@${agent.variant}`
  const who = agent === null ? '' : printable(`${agent.name}${variant} ${agent.version}`)
  const path = printable(target)
  const head =
    width(`  ${verdict.padEnd(WIDEST)} ${path}  ${who}`) > room
      ? [`${mark} ${paint(verdict)}`, `  ${style.bold(path)}`, ...(who === '' ? [] : [`  ${style.dim(who)}`])]
      : [`${mark} ${paint(verdict.padEnd(WIDEST))} ${style.bold(path)}${who && `  ${style.dim(who)}`}`]
  const shown = `${head.join('\n')}\n`
  return isAccepted ? shown : shown + why(report, style, columns, hinted)
}

/** @param hinted verdicts whose hint was shown before: the rule that lacks something is the same for further bundles */
function why(report: OneOfMany, style: Style, columns: number, hinted: Set<Report['verdict']>): string {
  const { reasons, verdict } = report
  const hint = verdict === 'policy_denied' && hinted.has(verdict) ? undefined : verdictHint(report)
  hinted.add(verdict)
  const wrapped = (text: string) => wrap(printable(text), Math.max(30, columns - 10))
  const lines = [
    ...reasonTexts(reasons).flatMap(wrapped),
    ...(hint === undefined ? [] : wrapped(hint)).map((line, index) =>
      index === 0 ? `${style.cyan('hint:')} ${line}` : `      ${line}`,
    ),
  ]
  return lines.map(line => `    ${line}\n`).join('')
}

/** The first reasons, and how many more there are. */
export function reasonTexts(reasons: OneOfMany['reasons']): string[] {
  const texts = reasons.slice(0, MOST_REASONS).map(({ message }) => message)
  if (reasons.length > MOST_REASONS) texts.push(`… and ${reasons.length - MOST_REASONS} more`)
  return texts
}

/** `101 bundles: 100 trusted, 1 invalid`, and how many of them were judged in an earlier call. */
export function summaryOf({ bundles, counts, reused, unfetched }: FleetTally): string {
  const words = Object.entries(counts).map(([word, count]) => `${grouped(count)} ${word}`)
  const manifests = unfetched === 0 ? '' : ` (of ${grouped(unfetched)} only the manifest was read)`
  const before =
    reused === 0 ? '' : `; ${grouped(reused)} judged before, and nothing has changed since${manifests}`
  return `${plural(bundles, 'bundle')}: ${words.join(', ')}${before}`
}

/** Says whose word it is which repositories there are. */
export function noteListed(io: Io, args: GlobalArgs, tally: FleetTally): void {
  const text = listedText(tally)
  if (text !== undefined) note(io, args, text)
}

/** Says what no signature means, unless the caller allowed it. */
export function noteUnsigned(
  io: Io,
  args: GlobalArgs & { readonly allowUnsigned: boolean },
  tally: FleetTally,
): void {
  const unsigned = tally.count('unsigned')
  if (unsigned > 0 && !args.allowUnsigned)
    note(io, args, `${plural(unsigned, 'bundle')} without signature: their author is unknown`)
}
