// Makes one report of the parts that several jobs wrote, if together they are the whole. It judges nothing: it holds the parts against each
// other and against the list, so that a part which is missing, of yesterday, or judged by another policy is found out.
import { openOwn } from '../io/owner/read-own.ts'
import { Ways } from '../io/owner/ways.ts'
import { boundedLines } from '../io/read/bounded.ts'
import { closingChunks, openFile, readAt } from '../io/read/read-file.ts'
import { throwIfCancelled } from '../io/wait/breathe.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { byteLimit, REPORT_LINE_BYTES } from '../model/limits.ts'
import { isTable, own } from '../model/own.ts'
import type { OnProgress } from '../model/progress.ts'
import type { AnchorKey } from '../model/signer.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { decodeText } from '../text/decode.ts'
import { printableJson, quoted } from '../text/printable.ts'
import { durationText } from '../text/time.ts'
import type { MergeList } from './merge-list.ts'
import type { ReportFile } from './report-lines.ts'
import { SealCheck, SIGNATURE_LINE } from './seal.ts'
import { isPart, shardIndex, shardText } from './shard.ts'
import { lineValue, type PartSummary, type ReportSummary, readSummary, SUMMARY_LINE } from './summary.ts'
import { FleetTally } from './tally.ts'
import type { FleetRecord } from './task.ts'

export interface Merging {
  readonly reports: readonly ReportFile[]
  /** What should have been verified; undefined if nothing is known of it. */
  readonly list: MergeList | undefined
  /** From the first to the last judgement, in seconds. */
  readonly within: number
  /** Every byte of each part has to be signed by one of these; empty if none need be signed. */
  readonly keys: readonly AnchorKey[]
  readonly signal: AbortSignal
  readonly onProgress?: OnProgress | undefined
  /** Told of each report without a summary: its job ended early, and its part is missing. */
  onUnfinished?(report: ReportFile): void
}

/** What came of the merge: the summary of the merged report. */
export interface MergedReport extends ReportSummary {
  readonly merged: NonNullable<ReportSummary['merged']>
}

/** Of the end of a file, where its summary and its signature are. */
const TAIL_BYTES = 256 * 1024
/** Progress is told after this many lines, and after each part. */
const TOLD_LINES = 1000
/** Named one by one in a message or a report. */
const MOST_NAMED = 20

/** From the first to the last judgement, and whose they were. */
interface Span {
  readonly began: string
  readonly beganIn: string
  readonly ended: string
  readonly endedIn: string
}

/** Reads parts, and holds each against all before it. */
export class Merge {
  readonly #merging: Merging
  readonly #tally = new FleetTally()
  readonly #signers = new Set<string>()
  #first: { readonly summary: PartSummary; readonly label: string } | undefined
  #here = 0
  #span: Span | undefined
  #missing: string | null = null
  #isMachine = false
  #bytes = { done: 0, total: 0 }

  constructor(merging: Merging) {
    this.#merging = merging
  }

  /**
   * The lines about bundles, part after part, each with its newline. Everything is checked when the last one was read: until then nothing of
   * it may be used.
   * @throws UsageError for parts that contradict each other; NO_PERMISSION for an unsigned one that others may write; LIMIT_EXCEEDED, CANCELLED
   */
  async *lines(): AsyncGenerator<Buffer> {
    const parts = new Map<number, { readonly report: ReportFile; readonly summary: PartSummary }>()
    for (const report of this.#merging.reports) {
      const summary = await this.#lastLine(report)
      if (summary === undefined) {
        this.#merging.onUnfinished?.(report)
        continue
      }
      const { index, of } = summary.part
      const other = parts.get(index)
      if (other !== undefined && other.summary.part.of === of)
        throw contradicts(
          report,
          `it is shard ${shardText({ index, of })}, and so is ${quoted(other.report.label)}`,
          ONCE,
        )
      this.#agree(report, summary)
      parts.set(index, { report, summary })
    }
    const [...found] = parts.entries()
    if (this.#first === undefined) throw this.#nothing()
    for (const [, { report, summary }] of found.sort(([a], [b]) => a - b)) yield* this.#part(report, summary)
    this.#conclude(parts)
  }

  /** After the last line. */
  get report(): MergedReport {
    const { program, run, listed, listedBy, basis, skipped, part } = this.#about
    return {
      type: 'summary',
      ...this.#tally.inSummary,
      skipped,
      ...(listedBy !== undefined && { listedBy }),
      exit: this.exit,
      program,
      shard: null,
      run,
      began: this.#span?.began ?? '',
      ended: this.#span?.ended ?? '',
      listed: { ...listed, here: this.#here },
      basis,
      merged: { parts: part.of, missing: this.#missing, keys: [...this.#signers].sort() },
    }
  }

  /** After the last line: 3 if a part is missing, otherwise that of the worst verdict. */
  get exit(): ExitCode {
    if (this.#missing !== null || this.#isMachine) return EXIT.machine
    return this.#tally.exit
  }

  get #about(): PartSummary {
    if (this.#first === undefined) throw new TypeError('nothing was merged')
    return this.#first.summary
  }

  /** The summary at the end of a report, which is not believed yet. Undefined if the report has none: its job ended early. */
  async #lastLine(report: ReportFile): Promise<PartSummary | undefined> {
    const file = await this.#open(report)
    try {
      const from = Math.max(0, file.size - TAIL_BYTES)
      const tail = Buffer.alloc(file.size - from)
      await readAt(file, tail, from)
      const at = tail.lastIndexOf(SUMMARY_LINE)
      const end = at === -1 ? -1 : tail.indexOf(NEWLINE, at)
      const isLine = at === 0 ? from === 0 : tail[at - 1] === NEWLINE
      if (end === -1 || !isLine) return undefined
      const read = readSummary(tail.toString('utf8', at, end))
      if ('problem' in read)
        throw contradicts(report, read.problem, 'Name a report as rlp agent verify --format ndjson wrote it')
      this.#bytes.total += file.size
      return partOf(report, read.summary)
    } finally {
      file.handle.close()
    }
  }

  /** A report that need not be signed is only as good as its file. */
  async #open({ path, label }: ReportFile) {
    const isOwn = this.#merging.keys.length === 0
    const file = isOwn ? await openOwn(path, new Ways()) : await openFile(path, { follow: true, label })
    if (file !== undefined) return file
    throw new RlpError('NOT_FOUND', `Cannot read "${label}": no such file`, {
      hint: 'Name the reports that are there: a part without a report is missing, and the exit code says so',
    })
  }

  /** @throws UsageError if a part is not of the same work as those before it */
  #agree(report: ReportFile, summary: PartSummary): void {
    const { basis, began, ended, listed } = summary
    if (basis === null)
      throw contradicts(
        report,
        'its trust policies or marks changed while it was written',
        'Run this part again',
      )
    if (ended < began) throw contradicts(report, `it ended at ${ended}, before it began`, CLOCK)
    this.#span = spanWith(this.#span, summary, report.label)
    const seconds = (Date.parse(this.#span.ended) - Date.parse(this.#span.began)) / 1000
    if (seconds > this.#merging.within)
      throw contradicts(
        report,
        `from the beginning of ${quoted(this.#span.beganIn)} (${this.#span.began}) to the end of ${quoted(this.#span.endedIn)} (${this.#span.ended}) are more than ${durationText(this.#merging.within)}`,
        'A report of an earlier run is among them, or allow more with --within',
      )
    this.#here += listed.here
    if (this.#first === undefined) {
      this.#first = { summary, label: report.label }
      return
    }
    const { summary: first, label } = this.#first
    const unlike = COMPARED.find(({ of }) => of(first) !== of(summary))
    if (unlike !== undefined)
      throw contradicts(
        report,
        `${unlike.what} ${unlike.words(summary)}, and in ${quoted(label)} ${unlike.words(first)}`,
        unlike.hint,
      )
  }

  async *#part(report: ReportFile, summary: PartSummary): AsyncGenerator<Buffer> {
    const { keys, list, signal, onProgress } = this.#merging
    const seal = keys.length === 0 ? undefined : new SealCheck(report.label, keys, SIGN_PARTS)
    const tally = new FleetTally()
    const seen = new Map<string, number>()
    let ended: string | undefined
    let number = 0
    for await (const { bytes, isWhole } of boundedLines(
      closingChunks(await this.#open(report)),
      REPORT_LINE_BYTES,
    )) {
      number++
      throwIfCancelled(signal, `reading "${report.label}"`)
      const wrong = (state: string, hint: string) => contradicts(report, `line ${number}: ${state}`, hint)
      if (bytes === undefined) throw wrong(`it has more than ${byteLimit(REPORT_LINE_BYTES)}`, AS_WRITTEN)
      const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      this.#bytes.done += line.length + 1
      if (number % TOLD_LINES === 0) onProgress?.({ what: report.label, ...this.#bytes, unit: 'bytes' })
      if (begins(line, SIGNATURE_LINE)) {
        if (!isWhole) throw wrong('the signature is cut off', AS_WRITTEN)
        seal?.sign(line)
        continue
      }
      if (ended !== undefined) throw wrong('it follows the summary', 'Name the report of each part by itself')
      seal?.take(line)
      seal?.take(NEWLINE_BYTES)
      const read = decodeText(line, REPORT_LINE_BYTES)
      const text = read.ok ? read.text : ''
      if (begins(line, SUMMARY_LINE)) {
        if (!isWhole) throw wrong('the summary is cut off', AS_WRITTEN)
        ended = text
        continue
      }
      const record = recordIn(text)
      if (record === undefined)
        throw wrong('it is not one of a report of rlp agent verify --format ndjson', AS_WRITTEN)
      const { target } = record
      const name = quoted(target)
      const index = shardIndex(target, summary.part.of)
      if (index !== summary.part.index)
        throw wrong(
          `${name} belongs to shard ${shardText({ ...summary.part, index })}, and not to ${summary.shard}`,
          'Run this part again',
        )
      const before = seen.get(target)
      if (before !== undefined)
        throw wrong(`${name} is on line ${before} already`, 'List each bundle once, and run this part again')
      seen.set(target, number)
      const problem = list?.meets(target, summary.part.of)
      if (problem !== undefined) throw wrong(`${name} ${problem}`, THEIR_LIST)
      tally.add(record)
      this.#tally.add(record)
      // Written anew: white space between the values, as the carriage return of another system, would be escaped like a text.
      yield Buffer.from(`${printableJson(JSON.stringify(record))}\n`)
    }
    onProgress?.({ what: report.label, ...this.#bytes, unit: 'bytes' })
    if (
      ended === undefined ||
      JSON.stringify(readSummary(ended)) !== JSON.stringify({ summary: withoutPart(summary) })
    )
      throw contradicts(
        report,
        'it changed while it was read',
        'Wait until its job has ended, and merge again',
      )
    seal?.end()
    for (const key of seal?.signers ?? []) this.#signers.add(key)
    this.#counts(report, summary, tally)
    const left = list?.leftOf(summary.part.index, summary.part.of)
    if (left !== undefined)
      throw contradicts(
        report,
        `it does not name ${quoted(left)}, which is on the list and in shard ${summary.shard}`,
        'Give all jobs the same list, and run them again',
      )
  }

  /** @throws UsageError if the summary of a part does not say what its lines say */
  #counts(
    report: ReportFile,
    { bundles, accepted, reused, unfetched = 0, verdicts, exit }: PartSummary,
    tally: FleetTally,
  ): void {
    const said = [bundles, accepted, reused, unfetched, ...WORDS.map(word => own(verdicts, word) ?? 0)]
    const found = [
      tally.bundles,
      tally.accepted,
      tally.reused,
      tally.unfetched,
      ...WORDS.map(word => tally.count(word)),
    ]
    // A decision that could not be recorded makes it 3, whatever the verdicts are.
    const isUnrecorded = exit === EXIT.machine && tally.exit !== EXIT.machine
    if (said.some((count, at) => count !== found[at]) || (exit !== tally.exit && !isUnrecorded))
      throw contradicts(
        report,
        `its summary counts ${bundles} bundles, ${accepted} accepted, and its lines are ${tally.bundles}, ${tally.accepted} accepted`,
        'Run this part again',
      )
    this.#isMachine ||= isUnrecorded
  }

  /** @throws UsageError if all parts are there, and are not the whole list */
  #conclude(parts: ReadonlyMap<number, unknown>): void {
    const { part, listed } = this.#about
    this.#missing = missingOf(part.of, parts)
    if (this.#missing !== null) return
    if (listed.targets === 0)
      throw new UsageError('Cannot merge the reports: the list of their jobs names no bundle', {
        field: 'report',
        hint: HAS_BUNDLES,
      })
    const { list } = this.#merging
    if (this.#here !== listed.targets)
      throw new UsageError(
        `Cannot merge the reports: the parts hold ${this.#here} bundles, and the list has ${listed.targets}`,
        {
          field: 'report',
          hint: 'Give all jobs the same list, and run them again',
        },
      )
    // A repository can be empty. If nothing was judged, nothing is proven.
    if (this.#tally.bundles === 0)
      throw new UsageError('Cannot merge the reports: no part holds a bundle', {
        field: 'report',
        hint: HAS_BUNDLES,
      })
    const left = list?.left
    if (left !== undefined)
      throw new UsageError(
        `Cannot merge the reports: no report names ${quoted(left)}, which is on the list`,
        {
          field: 'list',
          hint: THEIR_LIST,
        },
      )
  }

  #nothing(): RlpError {
    return new RlpError('IO', 'Cannot merge the reports: none of them has a summary, so no job has ended', {
      hint: 'Wait for the jobs, or run them again',
    })
  }
}

const NEWLINE = 0x0a
const NEWLINE_BYTES = Buffer.of(NEWLINE)
const WORDS = Object.keys(VERDICTS) as Verdict[]
const ONCE = 'Name the report of each part once'
const CLOCK = 'Set the clock of that machine, and run this part again'
const AS_WRITTEN = 'Name the report as it was written, or run this part again'
const SIGN_PARTS = 'Name the key that signed it, or run this part again with rlp agent verify --key'
const THEIR_LIST =
  'Merge with the list that the jobs were given. It names bundles and repositories, no folders'
const HAS_BUNDLES = 'Run all parts again with a list that has bundles'
const AGAIN = 'Run all parts again, in the same way'

/** What the parts of one run have in common. */
const COMPARED: readonly {
  readonly what: string
  readonly hint: string
  of(summary: PartSummary): unknown
  words(summary: PartSummary): string
}[] = [
  {
    what: 'the number of parts is',
    of: ({ part }) => part.of,
    words: ({ part }) => `${part.of}`,
    hint: 'Merge the parts of one run',
  },
  {
    what: 'the run is',
    of: ({ run }) => run,
    words: ({ run }) => (run === null ? 'not named' : quoted(run)),
    hint: 'Merge the parts of one run, and give all jobs the same rlp agent verify --run',
  },
  {
    what: 'the program is',
    of: ({ program }) => program,
    words: ({ program }) => `rlp ${quoted(program)}`,
    hint: 'Install one version on all machines, and run the parts again that another one wrote',
  },
  {
    what: 'the list has',
    of: ({ listed }) => `${listed.targets} ${listed.sha256}`,
    words: ({ listed }) => `${listed.targets} bundles (${listed.sha256.slice(0, 12)})`,
    hint: 'Write the list once, and give it to all jobs',
  },
  {
    what: 'policies, marks and flags are',
    of: ({ basis }) => basis,
    words: ({ basis }) => `${basis?.slice(0, 12)}`,
    hint: `Give all jobs the same trust policy, home and flags. ${AGAIN}`,
  },
]

function contradicts({ label }: ReportFile, state: string, hint: string): UsageError {
  return new UsageError(`Cannot merge ${quoted(label)}: ${state}`, { field: 'report', hint })
}

/** @throws UsageError for a report of a whole list, and for one that was merged */
function partOf(report: ReportFile, summary: ReportSummary): PartSummary {
  const { shard, merged } = summary
  if (merged !== undefined)
    throw contradicts(report, 'it was merged already', 'Name the reports of the parts')
  const [index = 0, of = 0] = (shard ?? '').split('/').map(Number)
  if (shard === null || !isPart({ index, of }))
    throw contradicts(
      report,
      'it is about a whole list, and not about a part of one',
      'Verify parts with rlp agent verify --shard I/N',
    )
  return { ...summary, part: { index, of } }
}

function withoutPart({ part: _, ...summary }: PartSummary): ReportSummary {
  return summary
}

function spanWith(span: Span | undefined, { began, ended }: PartSummary, label: string): Span {
  return {
    began: span === undefined || began < span.began ? began : span.began,
    beganIn: span === undefined || began < span.began ? label : span.beganIn,
    ended: span === undefined || ended > span.ended ? ended : span.ended,
    endedIn: span === undefined || ended > span.ended ? label : span.endedIn,
  }
}

/** As `3, 7-9`. */
function missingOf(of: number, parts: ReadonlyMap<number, unknown>): string | null {
  const ranges: string[] = []
  let count = 0
  for (let index = 1; index <= of; index++) {
    if (parts.has(index)) continue
    const from = index
    while (index < of && !parts.has(index + 1)) index++
    count++
    if (count <= MOST_NAMED) ranges.push(from === index ? `${from}` : `${from}-${index}`)
  }
  if (count > MOST_NAMED) ranges.push('…')
  return count === 0 ? null : ranges.join(', ')
}

function begins(line: Buffer, prefix: Buffer): boolean {
  return line.subarray(0, prefix.length).equals(prefix)
}

type MergedRecord = Pick<FleetRecord, 'target' | 'verdict' | 'exit' | 'reused'>

/** Undefined for anything but a record that rlp wrote. */
function recordIn(text: string): MergedRecord | undefined {
  const value = lineValue(text)
  if (!isTable(value) || value['type'] !== 'bundle') return undefined
  const { target, verdict, exit, accepted, reused } = value
  const known = typeof verdict === 'string' ? own(VERDICTS, verdict) : undefined
  const mayBeZero = verdict === 'trusted' || verdict === 'unsigned'
  const isSound =
    known !== undefined &&
    typeof target === 'string' &&
    typeof reused === 'boolean' &&
    (exit === known.exit || (exit === 0 && mayBeZero) || exit === EXIT.machine || exit === EXIT.bug) &&
    accepted === (exit === 0)
  return isSound ? (value as unknown as MergedRecord) : undefined
}
