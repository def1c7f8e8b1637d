// Shows many bundles to people: the reasons for each bundle that is not accepted, and accepted ones only while they are few. The rest is
// counted, grouped by reason.
import { resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { wrap } from '../cli/render/layout.ts'
import { columnsOf, note, printText } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import type { Verdict } from '../model/verdict.ts'
import { isOciReference } from '../oci/scheme.ts'
import { packHint } from '../pack/foreign-refusals.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import type { FleetReport, FleetSetting } from './formats/format.ts'
import { type OneOfMany, reasonTexts, renderOneOfMany } from './render-whole.ts'
import { type FleetRecord, WORTH_THREADS } from './task.ts'

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

/** Of one reason so many are told as they are judged. */
const MOST_ALIKE = 3
/** Names of a group; the report for programs has all. */
const MOST_NAMES = 100
/** Reasons that are kept: a report of millions has a bounded memory, and further reasons are told at once. */
const MOST_REASONS = 1000

interface Group extends Pick<OneOfMany, 'verdict' | 'reasons'> {
  count: number
  readonly names: string[]
}

export class Untold {
  accepted = 0
  readonly #groups = new Map<string, Group>()

  /** Whether a bundle is one of a group, and needs no lines of its own. */
  takes({ verdict, reasons, target }: OneOfMany): boolean {
    const key = JSON.stringify([verdict, reasons.map(({ code, message }) => [code, message])])
    const group = this.#groups.get(key)
    if (group === undefined) {
      if (this.#groups.size < MOST_REASONS) this.#groups.set(key, { verdict, reasons, count: 1, names: [] })
      return false
    }
    group.count += 1
    if (group.count <= MOST_ALIKE) return false
    if (group.names.length < MOST_NAMES) group.names.push(target)
    return true
  }

  /** Ends in a newline, or is empty. */
  render(style: Style, columns: number): string {
    const groups = [...this.#groups.values()].filter(({ count }) => count > MOST_ALIKE)
    const rest = this.accepted === 0 ? '' : `… and ${plural(this.accepted, 'more bundle')} accepted\n`
    return groups.map(group => renderGroup(group, style, columns)).join('') + rest
  }
}

function renderGroup({ verdict, reasons, count, names }: Group, style: Style, columns: number): string {
  const more = count - MOST_ALIKE
  const left = more - names.length
  const lines = [
    ...reasonTexts(reasons).flatMap(text => wrap(printable(text), Math.max(30, columns - 10))),
    ...names.map(name => style.bold(printable(name))),
    ...(left === 0 ? [] : [`… and ${plural(left, 'more bundle')}; --format ndjson lists all of them`]),
  ]
  const head = `${style.red(SYMBOLS.bad)} ${style.red(verdict)} ${plural(more, 'more bundle')} for one reason`
  return `${[head, ...lines.map(line => `    ${line}`)].join('\n')}\n`
}
