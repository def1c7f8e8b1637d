// rlp report merge: one report of the parts that several jobs wrote.
import { resolve } from 'node:path'
import { SYMBOLS } from '../../cli/render/style.ts'
import { namedPath } from '../../io/home.ts'
import { type PathGiven, pathGiven } from '../../io/library/caller.ts'
import { targetAt } from '../../io/read/entry.ts'
import { writeAtomic } from '../../io/write/write-atomic.ts'
import { UsageError } from '../../model/error.ts'
import type { ExitCode } from '../../model/exit-code.ts'
import { kindName, wrongValue } from '../../model/kind-name.ts'
import type { AnchorKey, Signer } from '../../model/signer.ts'
import { passphrase } from '../../sign/passphrase-inputs.ts'
import { anchorsIn, signerGiven, signingKey } from '../../sign/signing-inputs.ts'
import { readAnchor } from '../../signature/kinds/index.ts'
import { printable, printableJson } from '../../text/printable.ts'
import { DURATION_FORM, secondsIn } from '../../text/time.ts'
import { grouped, plural } from '../../text/words.ts'
import {
  commandOf,
  defineVerb,
  type Input,
  needed,
  text,
  texts,
  type World,
  whether,
} from '../../verb/index.ts'
import { labelledFile } from '../../verb/kinds/paths.ts'
import { Merge, type MergedReport } from '../merge.ts'
import type { ReportFile } from '../report-lines.ts'
import { ReportSeal } from '../seal.ts'

const reports: Input<readonly PathGiven[], readonly ReportFile[]> = {
  type: 'readonly PathGiven[]',
  typed: {
    type: 'strings',
    flag: 'report',
    placeholder: 'FILE',
    describe: 'reports of all parts, as agent verify --format ndjson wrote them',
  },
  fromTyped: (typed: readonly string[], { world }) =>
    typed.map(label => ({ path: namedPath(label, world.cwd), label })),
  fromGiven(given, { world, field }) {
    if (!Array.isArray(given)) throw wrongValue(field, kindName(given), 'a list of paths')
    return given.map(one => {
      const path = pathGiven(one, world, 'merge')
      return { path, label: typeof one === 'string' ? one : path }
    })
  },
}

/**
 * Makes one report of the parts that several jobs have verified, and proves that they are the whole: every part is there once, all are of one
 * run, one list and the same policies, and each bundle is in its part and counted.
 *
 * @param reports the files that the jobs wrote, in any order
 *
 * @example
 * const { exit, bundles, merged } = await mergeReports(['report-1.ndjson', 'report-2.ndjson'], { out: 'report.ndjson' })
 * console.log(exit, bundles, merged.missing)
 *
 * @throws {@link RlpError} `USAGE` if the parts contradict each other, or one is not signed as demanded; `IO` if no report has a summary;
 * `NO_PERMISSION` if other users may write an unsigned report; `NOT_FOUND`, `CANCELLED`. Nothing is written then
 */
export const verb = defineVerb({
  name: 'report merge',
  summary: 'check that reports of parts are complete, and merge them',
  called: 'mergeReports',
  arguments: ['reports'],
  inputs: {
    reports: needed(reports),
    /** Where the merged report goes. Without it the parts are checked, and nothing is written. */
    out: labelledFile('write the merged report to this file; without it the parts are only checked', {
      alias: 'o',
      doing: 'write',
    }),
    /** A file with the names of all bundles, one in each line: the reports have to name exactly these. */
    list: text('the list that the jobs were given: the reports have to name exactly what it names', {
      placeholder: 'FILE',
    }),
    /** Names in `list` end with NUL, as `find -print0` writes them. */
    nul: whether('with --list: names end with NUL, as find -print0 writes them', {
      flag: 'null',
      alias: '0',
    }),
    /** How far the first and the last judgement may be apart, as `90d`, `12h` or `15m`; `24h` if it is left out. */
    within: text('refuse parts whose judgements are further apart (default: 24h)', { placeholder: 'TIME' }),
    /** Every part has to be signed by one of these keys: anchor strings, or names or paths of public keys. */
    sinceKey: texts('every part has to be signed with this key, or one of several', {
      placeholder: 'KEY',
      commas: false,
    }),
    /** Signs the merged report. Needs `sinceKey` and `out`. */
    key: { ...signingKey },
    passphrase,
    /** Write the merged report even if parts are missing. The exit code stays 3. */
    partial: whether('write the report even if parts are missing; the exit code stays 3'),
  },
  isLong: true,
  async run(
    { reports, out, list, nul, within, sinceKey, key, passphrase, partial },
    world,
  ): Promise<MergedReport> {
    refuseTogether({ reports, out, list, nul, sinceKey, key, partial }, world)
    const seconds = within === undefined ? DAY : secondsIn(within)
    if (seconds === undefined)
      throw new UsageError(`Cannot use ${world.spelt('within')}: it is not a time`, {
        field: 'within',
        expected: DURATION_FORM,
      })
    const keys = (await anchorsIn(sinceKey, passphrase)).map(keyOfAnchor)
    const signer = key === undefined ? undefined : await signerGiven({ key, passphrase })
    const names =
      list === undefined
        ? undefined
        : await (await import('../merge-list.ts')).MergeList.read(list, { nul, setting: world })
    const { signal, onProgress } = world
    const onUnfinished = ({ label }: ReportFile) =>
      world.tell(`${printable(label)} has no summary: its job ended early`)
    const merge = new Merge({
      reports,
      list: names,
      within: seconds,
      keys,
      signal,
      onProgress,
      onUnfinished,
    })
    if (out === undefined) for await (const _ of merge.lines());
    else
      try {
        await writeAtomic(out.path, sealed(merge, { signer, partial }), {
          label: out.label,
          signal: world.signal,
        })
      } catch (error) {
        if (error !== INCOMPLETE) throw error
      }
    return merge.report
  },
})

const DAY = 86_400
/** Ends the writing of a report whose parts are missing. */
const INCOMPLETE = new Error('parts are missing')

async function* sealed(
  merge: Merge,
  { signer, partial }: { readonly signer: Signer | undefined; readonly partial: boolean },
): AsyncGenerator<Uint8Array> {
  const seal = signer && new ReportSeal(signer)
  for await (const line of merge.lines()) {
    seal?.take(line)
    yield line
  }
  if (merge.report.merged.missing !== null && !partial) throw INCOMPLETE
  const summary = Buffer.from(`${printableJson(JSON.stringify(merge.report))}\n`)
  seal?.take(summary)
  yield summary
  if (seal !== undefined) yield Buffer.from(await seal.line())
}

function keyOfAnchor(anchor: string): AnchorKey {
  const read = readAnchor(anchor)
  if ('key' in read) return read.key
  throw new TypeError(`${anchor} is no anchor`)
}

/** @throws UsageError */
function refuseTogether(
  {
    reports,
    out,
    list,
    nul,
    sinceKey,
    key,
    partial,
  }: {
    readonly reports: readonly ReportFile[]
    readonly out: { readonly path: string } | undefined
    readonly list: string | undefined
    readonly nul: boolean
    readonly sinceKey: readonly string[]
    readonly key: unknown
    readonly partial: boolean
  },
  { spelt, cwd }: World,
): void {
  const refuse = (field: 'out' | 'key' | 'nul' | 'partial', state: string, hint: string) => {
    throw new UsageError(`Cannot use ${spelt(field)}: ${state}`, { field, hint })
  }
  if (reports.length === 0)
    throw new UsageError('Cannot merge reports: none is named', {
      field: 'report',
      hint: 'Name the reports of all parts',
    })
  if (partial && out === undefined) refuse('partial', 'nothing is written', `Say where with ${spelt('out')}`)
  if (key !== undefined && out === undefined)
    refuse('key', 'nothing is written', `Say where with ${spelt('out')}`)
  if (key !== undefined && sinceKey.length === 0)
    refuse(
      'key',
      'it would vouch for parts that need not be signed themselves',
      `Demand their signatures with ${spelt('sinceKey')} KEY`,
    )
  if (nul && list === undefined) refuse('nul', 'it is about a list', `Name one with ${spelt('list')}`)
  if (out === undefined) return
  if (reports.some(({ path }) => isSameFile(path, out.path)))
    refuse('out', 'it is one of the reports that are merged', 'Write to another file')
  if (list !== undefined && list !== '-' && isSameFile(resolve(cwd, list), out.path))
    refuse('out', 'it is the list', 'Write to another file')
}

/** Also by two names, through links. */
function isSameFile(a: string, b: string): boolean {
  const [one, other] = [targetAt(a), targetAt(b)]
  return a === b || (one !== undefined && one.ino === other?.ino && one.dev === other.dev)
}

export const command = commandOf(verb, {
  examples: [
    ['rlp report merge report-1.ndjson report-2.ndjson --list list -0', 'whether all parts are there'],
    ['rlp report merge report-1.ndjson report-2.ndjson --out report.ndjson', 'and one report of them'],
    ['rlp report merge signed-*.ndjson --since-key worker --key fleet -o report.ndjson', 'of signed parts'],
  ],
  first: ['out', 'list', 'null'],
  notes:
    'Parts are reports of rlp agent verify --shard I/N --format ndjson. All have to be of one run, list, program, policies and flags, every bundle has to be in its part, and the counts have to add up (docs/fleet.md).\n\nExit code 0, 1, 3 or 4: complete, with the code of the worst verdict. 3: a part is missing, or its job ended early. 2: parts contradict each other, and nothing is written.',
  quiet: ({ exit }) => (exit === 0 ? [] : undefined),
  exit: ({ exit }) => exit as ExitCode,
  text(report, { style, asked }) {
    const { bundles, exit, merged } = report
    const words = Object.entries(report.verdicts).map(([word, count]) => `${grouped(count)} ${word}`)
    const mark = exit === 0 ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
    const whole =
      merged.missing === null
        ? `${plural(merged.parts, 'part')}, complete`
        : `part ${merged.missing} of ${merged.parts} is missing`
    const written =
      asked.out === undefined || (merged.missing !== null && !asked.partial)
        ? ''
        : ` → ${printable(asked.out.label)}`
    return `${mark} ${whole}; ${plural(bundles, 'bundle')}: ${words.join(', ')}${written}\n`
  },
  note: ({ merged }) =>
    merged.missing === null
      ? undefined
      : 'Run the missing part again with rlp agent verify --shard, and merge again',
})
