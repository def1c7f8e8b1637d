// For people: the reasons of each bundle that is not accepted; accepted ones only while they are few.
import { resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { columnsOf, note, printText } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import type { Verdict } from '../model/verdict.ts'
import { isOciReference } from '../oci/scheme.ts'
import { packHint } from '../pack/foreign-refusals.ts'
import { WORTH_THREADS } from './fleet.ts'
import type { FleetReport, FleetSetting } from './formats/format.ts'
import { renderOneOfMany } from './render-many.ts'
import { Untold } from './render-untold.ts'
import type { FleetRecord } from './task.ts'

/** So many archives of other programs are looked at, to say how they become bundles. */
const MOST_FOREIGN = 10

export function textReport({ io, args, tally }: FleetSetting): FleetReport {
  const style = createStyle(io.color)
  const hinted = new Set<Verdict>()
  const untold = new Untold()
  const foreign: FleetRecord[] = []
  return {
    judged({ line, exit }) {
      const isAccepted = exit === 0
      // Of a few, a person wants to see each.
      if (isAccepted && (args.quiet || tally.bundles > WORTH_THREADS)) {
        if (!args.quiet) untold.accepted += 1
        return
      }
      const record = JSON.parse(line) as FleetRecord
      const shown = { style, columns: io.columns, room: columnsOf(io), hinted }
      if (isAccepted || !untold.takes(record)) printText(io, renderOneOfMany(record, isAccepted, shown))
      if (record.reasons[0]?.code === 'not_canonical' && foreign.length < MOST_FOREIGN) foreign.push(record)
    },
    async end() {
      printText(io, untold.render(style, io.columns))
      for (const { target, form } of foreign) await noteForeign({ target, form }, args, io)
    },
  }
}

/** Of an archive of another program, which `pack` takes, and no damaged bundle. */
async function noteForeign(
  { target, form }: Pick<FleetRecord, 'target' | 'form'>,
  args: GlobalArgs,
  io: Io,
): Promise<void> {
  if (form === 'directory' || isOciReference(target)) return
  const { looksForeign } = await import('../pack/foreign-archive.ts')
  if (await looksForeign(resolve(io.cwd, target), target))
    note(io, args, `warning: ${target}: ${packHint(target)}`)
}
