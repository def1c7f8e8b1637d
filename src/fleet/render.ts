// Many bundles, as they are judged → their report, in the format that was asked for.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { auditIn } from '../cli/options.ts'
import { notePassed } from '../cli/render/passed-over.ts'
import { refuseUnrecorded } from '../cli/render/refusal.ts'
import { note } from '../cli/render/report.ts'
import { RlpError } from '../model/error.ts'
import type { ExitCode } from '../model/exit-code.ts'
import type { PassedOver } from '../model/report.ts'
import type { AnchorKey } from '../model/signer.ts'
import { grouped, plural } from '../text/words.ts'
import { type Fleet, verifyFleet } from './fleet.ts'
import type { ReportAbout } from './formats/format.ts'
import { type FleetFormatName, fleetFormatOf } from './formats/index.ts'
import { hostBasis } from './host-basis.ts'
import { Recorder } from './judge-all.ts'
import { partOf, takingPart, WalkedList } from './listing.ts'
import { noteListed, noteUnsigned, summaryOf } from './render-whole.ts'
import { ReportSeal } from './seal.ts'
import { type Shard, shardText } from './shard.ts'
import { FleetEnding, FleetTally } from './tally.ts'
import type { FleetOptions, FleetTask } from './task.ts'
import { threadsFor } from './thread-count.ts'

interface FleetArgs extends GlobalArgs {
  readonly format: FleetFormatName | undefined
  readonly since: readonly string[]
  /** Which keys have to have signed those reports; empty if they need not be signed. */
  readonly sinceKey: readonly string[]
  /** What signs this report. */
  readonly key: string | undefined
  readonly expect: string | undefined
  readonly allowUnsigned: boolean
  readonly audit: string | undefined
  readonly threads: number | undefined
}

interface ManyBundles {
  readonly tasks: AsyncIterable<FleetTask>
  /** What was met on the way; complete when the tasks are over. */
  readonly passed: PassedOver
  readonly options: FleetOptions
  readonly part: Pick<ReportAbout, 'shard' | 'run'>
}

export async function reportFleet(
  { tasks, passed, options, part }: ManyBundles,
  args: FleetArgs,
  io: Io,
): Promise<ExitCode> {
  const tally = new FleetTally()
  const ending = new FleetEnding()
  const earlier = args.since.length === 0 ? undefined : await earlierIn(args, io)
  // Before anything is judged: a person may be asked for a passphrase.
  const seal = args.key === undefined ? undefined : await sealWith(args.key, io)
  const audit = await auditIn(args, io)
  const recorder = audit && new Recorder(audit)
  const write = (text: string) => {
    seal?.take(text)
    io.stdout(text)
  }
  const listing = new WalkedList()
  const takes = takingPart(part.shard, listing)
  const about = { ...part, listing, basis: () => hostBasis(options, args.expect) }
  const report = await fleetFormatOf(args.format).open({ about, io, args, tally, write })
  await verifyFleet({
    tasks: partOf(tasks, takes),
    takes,
    options,
    earlier,
    threads: threadsFor(args.threads, io.env),
    setting: io,
    unread: () => io.unread?.() ?? 0,
    onJudged(one) {
      const judged = recorder?.recorded(one) ?? one
      tally.isUnrecorded = recorder?.lost !== undefined
      tally.add(judged)
      ending.add(judged)
      io.onProgress?.({ what: 'bundles', done: tally.bundles, total: undefined, unit: 'targets' })
      report.judged(judged)
    },
    onListed: one => tally.addListed(one),
  })
  // A repository can be empty; so can a part of a list, but not all of it.
  const isEmpty = listing.targets === 0 || (part.shard === undefined && tally.bundles === 0)
  if (isEmpty) throw new RlpError('NOT_FOUND', 'Cannot verify: the list names no bundle')
  await report.end(passed)
  if (seal !== undefined) io.stdout(await seal.line())
  for (const line of ending.lines) note(io, args, `warning: ${line}`)
  if (part.shard !== undefined) note(io, args, partText(part.shard, listing))
  if (tally.bundles > 1 || args.since.length > 0) note(io, args, summaryOf(tally))
  noteListed(io, args, tally)
  notePassed(io, args, passed)
  noteUnsigned(io, args, tally)
  if (recorder?.lost !== undefined)
    refuseUnrecorded(recorder.lost, { tool: 'agent.verify', extra: {} }, args, io)
  return tally.exit
}

function partText(shard: Shard, { here, targets }: WalkedList): string {
  return `shard ${shardText(shard)}: ${grouped(here)} of ${plural(targets, 'bundle')}`
}

/** @throws RlpError as {@link reportsNamed}, and if a key cannot be read */
async function earlierIn({ since, sinceKey }: FleetArgs, io: Io): Promise<Fleet['earlier']> {
  const { reportsNamed } = await import('./report-lines.ts')
  const keys = sinceKey.length === 0 ? [] : await publicKeys(sinceKey, io)
  return { files: reportsNamed(since, io.cwd), keys }
}

async function sealWith(key: string, io: Io): Promise<ReportSeal> {
  const [{ keyQuery }, { loadSigner }] = await Promise.all([
    import('../sign/ask-key.ts'),
    import('../sign/keys.ts'),
  ])
  return new ReportSeal(await loadSigner(keyQuery(key, io)))
}

async function publicKeys(names: readonly string[], io: Io): Promise<AnchorKey[]> {
  const [{ keyQuery }, { anchorKeyOf, loadPublicKey }] = await Promise.all([
    import('../sign/ask-key.ts'),
    import('../sign/keys.ts'),
  ])
  const keys: AnchorKey[] = []
  for (const name of names) keys.push(anchorKeyOf(await loadPublicKey(keyQuery(name, io))))
  return keys
}
