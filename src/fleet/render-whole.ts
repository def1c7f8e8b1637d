// Bundles → whole reports, in memory: of one bundle for people, of any number with --json.

import type { Io } from '../cli/command.ts'
import { notePassed } from '../cli/each.ts'
import { auditIn } from '../cli/options.ts'
import { refuseUnrecorded } from '../cli/render/refusal.ts'
import { printText, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { PassedOver, Report } from '../model/report.ts'
import { isOciReference } from '../oci/scheme.ts'
import { packHint } from '../pack/foreign-refusals.ts'
import { warningLines } from '../verify/ends-soon.ts'
import { judgingOf, locksOf } from '../verify/judging-options.ts'
import { decidedOn } from '../verify/make-report.ts'
import { locksGiven } from '../verify/open-locks.ts'
import { renderVerification } from '../verify/render.ts'
import { exitOf } from '../verify/verify.ts'
import { judgedAll } from './judge-all.ts'
import { Recorder } from './recorded.ts'
import { noteUnsigned } from './render-many.ts'
import { FleetTally } from './tally.ts'
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
  const locks = await locksGiven(await locksOf(args, io))
  const audit = await auditIn(args, io)
  const recorder = audit && new Recorder(audit)
  const judging = { locks, ...judgingOf(args, io), withSha256: audit !== undefined }
  for (const { path, label, verification, sha256 } of await judgedAll(tasks, judging, io)) {
    const { verdict } = verification.report
    const exit = exitOf(verification)
    recorder?.isRecorded(decidedOn(verification.report, { accepted: exit === EXIT.ok, sha256 }))
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
  const result = { bundles, passed: exit === EXIT.ok, summary, skipped: passed }
  if (recorder?.lost !== undefined && args.json)
    return refuseUnrecorded(recorder.lost, { tool: 'agent.verify', extra: result }, args, io)
  report(io, args, { tool: 'agent.verify', result, warnings, text: () => '' })
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
