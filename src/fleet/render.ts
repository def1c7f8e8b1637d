// Many bundles, as they are judged → a line for each that is not accepted and a summary, or a line of JSON for each.
import { resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { notePassed } from '../cli/render/passed-over.ts'
import { columnsOf, note, printText } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { printableJson } from '../format/text/printable.ts'
import { RlpError } from '../model/error.ts'
import type { ExitCode } from '../model/exit-code.ts'
import { REPORT_BYTES } from '../model/limits.ts'
import type { PassedOver } from '../model/passed-over.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { AnchorKey } from '../model/signer.ts'
import type { Verdict } from '../model/verdict.ts'
import { packHint } from '../pack/foreign-refusals.ts'
import { readOwn } from '../trust/read-trust.ts'
import { FleetEnding } from './ending.ts'
import { type Fleet, verifyFleet, WORTH_THREADS } from './fleet.ts'
import { noteUnsigned, renderOneOfMany, summaryOf } from './render-many.ts'
import { Untold } from './render-untold.ts'
import { demandSigned, ReportSeal } from './seal.ts'
import { FleetTally } from './tally.ts'
import type { FleetJudged, FleetOptions, FleetRecord, FleetTask } from './task.ts'

export interface FleetArgs extends GlobalArgs {
  readonly format: string | undefined
  readonly since: string | undefined
  /** Which keys have to have signed that report; empty if it need not be signed. */
  readonly sinceKey: readonly string[]
  /** What signs this report. */
  readonly key: string | undefined
  readonly allowUnsigned: boolean
}

/** So many archives of other programs are looked at, to say how they become bundles. */
const MOST_FOREIGN = 10

export interface ManyBundles {
  readonly tasks: AsyncIterable<FleetTask>
  /** What was met on the way; complete when the tasks are over. */
  readonly passed: PassedOver
  readonly options: FleetOptions
}

export async function reportFleet(
  { tasks, passed, options }: ManyBundles,
  args: FleetArgs,
  io: Io,
): Promise<ExitCode> {
  const tally = new FleetTally()
  const ending = new FleetEnding()
  const foreign: FleetRecord[] = []
  const isJson = args.format === 'ndjson'
  const style = createStyle(io.color)
  const hinted = new Set<Verdict>()
  const untold = new Untold()
  const earlier = args.since === undefined ? undefined : await readEarlier(args.since, args.sinceKey, io)
  // Before anything is judged: a person may be asked for a passphrase.
  const seal = args.key === undefined ? undefined : await sealWith(args.key, io)
  const write = (text: string) => {
    seal?.take(text)
    io.stdout(text)
  }
  await verifyFleet({
    ...{ tasks, options, earlier },
    setting: io,
    unread: () => io.unread?.() ?? 0,
    onJudged(judged) {
      tally.add(judged)
      ending.add(judged)
      io.onProgress?.({ what: 'bundles', done: tally.bundles, total: undefined, unit: 'targets' })
      if (isJson) write(`${printableJson(judged.line)}\n`)
      else tell(judged)
    },
  })
  if (tally.bundles === 0) throw new RlpError('NOT_FOUND', 'Cannot verify: the list names no bundle')
  printText(io, untold.render(style, io.columns))
  for (const { target } of await foreignOnes(foreign, io))
    note(io, args, `warning: ${target}: ${packHint(target)}`)
  for (const line of ending.lines) note(io, args, `warning: ${line}`)
  if (isJson) write(`${JSON.stringify(summaryLine(tally, passed))}\n`)
  if (seal !== undefined) io.stdout(await seal.line())
  if (tally.bundles > 1 || args.since !== undefined) note(io, args, summaryOf(tally))
  notePassed(io, args, passed)
  noteUnsigned(io, args, tally)
  return tally.exit

  function tell({ line, exit }: FleetJudged): void {
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
  }
}

function summaryLine(tally: FleetTally, skipped: PassedOver): object {
  const { bundles, accepted, reused, counts, exit } = tally
  return { type: 'summary', bundles, accepted, reused, verdicts: counts, skipped, exit, program: VERSION }
}

/** @throws RlpError NOT_FOUND, NO_PERMISSION if others may write it, USAGE if it is not signed as demanded */
async function readEarlier(
  file: string,
  keys: readonly string[],
  io: Io,
): Promise<NonNullable<Fleet['earlier']>> {
  const demanded = keys.length === 0 ? [] : await publicKeys(keys, io)
  const bytes = await readOwn(resolve(io.cwd, file), REPORT_BYTES)
  if (bytes !== undefined) {
    if (keys.length > 0) demandSigned(bytes, file, demanded)
    return { bytes, label: file }
  }
  throw new RlpError('NOT_FOUND', `Cannot read "${file}": no such file`, {
    hint: 'The first report has none before it: leave --since out',
  })
}

async function sealWith(key: string, io: Io): Promise<ReportSeal> {
  const { signerCalled } = await import('../sign/signing-options.ts')
  return new ReportSeal(await signerCalled(key, io))
}

async function publicKeys(names: readonly string[], io: Io): Promise<AnchorKey[]> {
  const [{ keyQuery }, { anchorKeyOf, loadPublicKey }] = await Promise.all([
    import('../sign/ask-passphrase.ts'),
    import('../sign/keys.ts'),
  ])
  const keys: AnchorKey[] = []
  for (const name of names) keys.push(anchorKeyOf(await loadPublicKey(keyQuery(name, io))))
  return keys
}

/** Archives of other programs, which `pack` takes, and no damaged bundles. */
async function foreignOnes(records: readonly FleetRecord[], io: Io): Promise<FleetRecord[]> {
  const found: FleetRecord[] = []
  for (const record of records) {
    const { target, form } = record
    if (form === 'directory' || isOciReference(target)) continue
    const { looksForeign } = await import('../pack/foreign-archive.ts')
    if (await looksForeign(resolve(io.cwd, target), target)) found.push(record)
  }
  return found
}
