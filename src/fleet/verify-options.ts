// The options of `rlp agent verify`, and what they mean in combination.

import type { CommandArgs } from '../cli/command.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { AUDIT_OPTION } from '../cli/options.ts'
import { UsageError } from '../model/error.ts'
import { KEYLESS_OPTIONS } from '../sign/keyless-inputs.ts'
import { quoteText } from '../text/quote.ts'
import { expectationIn } from '../verify/expectation.ts'
import { LOCK_OPTIONS, LOOK_UP_OPTION, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { FLEET_DESCRIBED, FLEET_FORMATS, fleetFormatOf } from './formats/index.ts'
import { readShard } from './shard.ts'
import { MOST_THREADS } from './task.ts'

export const VERIFY_POSITIONALS = [
  {
    name: 'bundle',
    many: true,
    names: 'installed',
    describe:
      'a bundle, an unpacked bundle, a folder of bundles, a repository, every repository below oci://HOST/PARTS/, or the name of an installed agent; without one, all that --lock names',
  },
] as const satisfies readonly Positional[]

/** Those that sign: the report of many bundles, or a statement that one is trusted. */
const SUMMARY_OPTIONS = {
  key: {
    type: 'string',
    alias: 'k',
    placeholder: 'KEY',
    describe:
      'sign the report in ndjson (docs/fleet.md); without --format, state that one bundle is trusted (docs/evidence.md)',
  },
  ...KEYLESS_OPTIONS,
  keyless: {
    ...KEYLESS_OPTIONS.keyless,
    describe: 'state that one bundle is trusted, signed with an identity in place of a key (docs/keyless.md)',
  },
  attest: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'where that statement goes (default: <bundle>.intoto.jsonl)',
  },
  verifier: { type: 'string', placeholder: 'URI', describe: 'with that statement: who has checked it' },
  resource: {
    type: 'string',
    placeholder: 'URI',
    describe: 'with that statement: what was checked, as others know it',
  },
  time: {
    type: 'string',
    placeholder: 'TIME',
    describe: 'with that statement: when, as 2026-11-20T00:00:00Z; left out, it says no time',
  },
} as const satisfies OptionTable

export const VERIFY_OPTIONS = {
  expect: {
    type: 'string',
    placeholder: 'NAME[@VARIANT][@RANGE]',
    describe:
      'which agent it has to be, or blake3:HEX for one bundle; "any" waives it. A name, and a file called <name>-<version>.agent.bundle, imply it',
  },
  ...TRUST_OPTIONS,
  ...LOCK_OPTIONS,
  'allow-unsigned': { type: 'boolean', describe: 'exit 0 for a sound bundle without signature' },
  root: LOOK_UP_OPTION,
  'bundles-from': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'verify what a list names, one bundle in each line; - is standard input',
  },
  null: {
    type: 'boolean',
    alias: '0',
    describe: 'with --bundles-from: names end with NUL, as find -print0 writes them',
  },
  format: {
    type: 'string',
    placeholder: 'FORMAT',
    choices: FLEET_FORMATS.map(({ name }) => name),
    describe: FLEET_DESCRIBED,
  },
  since: {
    type: 'strings',
    commas: false,
    placeholder: 'PATH',
    describe:
      'judge again only what has changed since this report in ndjson, or since several: name each, or their folder',
  },
  'since-key': {
    type: 'strings',
    commas: false,
    placeholder: 'KEY',
    describe: 'with --since: every report has to be signed with this key, or one of several',
  },
  shard: {
    type: 'string',
    placeholder: 'I/N',
    describe: 'verify one of N parts of the list, counted from 1; auto asks the scheduler (docs/fleet.md)',
  },
  run: {
    type: 'string',
    placeholder: 'ID',
    describe: 'with --format ndjson: a name that all parts of one run share; rlp report merge compares it',
  },
  threads: {
    type: 'integer',
    min: 1,
    max: MOST_THREADS,
    placeholder: 'N',
    describe:
      'judge many bundles in at most N threads; 1 needs the least memory (default: RLP_THREADS, or one for each core and each 64 bundles, at most 16)',
  },
  ...SUMMARY_OPTIONS,
  ...AUDIT_OPTION,
} as const satisfies OptionTable

/** Whether a statement about one bundle is asked for. */
export function isAttesting(args: VerifyArgs): boolean {
  const { key, format, attest, verifier, resource, time, identityToken, signingConfig } = args
  const named = [attest, verifier, resource, time, identityToken, signingConfig]
  const byKey = key !== undefined && !fleetFormatOf(format).isData
  return byKey || args.keyless || args.yes || named.some(one => one !== undefined)
}

/** Whether the locks are the list: without a bundle and another list, all that they name is verified. */
export function isOfLocks({ bundle, bundlesFrom, lock, locked }: VerifyArgs): boolean {
  return bundle.length === 0 && bundlesFrom === undefined && (lock.length > 0 || locked)
}

export type VerifyArgs = CommandArgs<typeof VERIFY_OPTIONS, typeof VERIFY_POSITIONALS>

const RUN = /^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,127}$/

function refusePart({ shard, run, json, format }: VerifyArgs): void {
  if (shard !== undefined && shard !== 'auto' && readShard(shard) === undefined)
    throw new UsageError(`Cannot use --shard: ${quoteText(shard)} is not a part of a list`, {
      field: 'shard',
      expected: 'I/N, with I from 1 to N and N from 2, or auto',
      hint: 'The third of eight parts is 3/8. For all bundles in one job, leave --shard out',
    })
  if (shard !== undefined && json)
    throw new UsageError('Cannot use --shard with --json: reports of parts are merged as lines', {
      field: 'shard',
      hint: 'Use --format ndjson, and rlp report merge',
    })
  if (run === undefined) return
  if (!RUN.test(run))
    throw new UsageError(`Cannot use --run: ${quoteText(run)} is not a name of a run`, {
      field: 'run',
      expected: 'up to 128 letters, digits and . _ : @ / + -',
    })
  if (!fleetFormatOf(format).isSigned)
    throw new UsageError('Cannot use --run: only a report in ndjson names its run', {
      field: 'run',
      hint: 'Add --format ndjson',
    })
}

/** @throws UsageError for flags that contradict each other, and where nothing is named */
export function refuseTogether(args: VerifyArgs): void {
  const { bundle, bundlesFrom, json, format, since, sinceKey, key, expect, null: nul } = args
  if (bundle.length === 0 && bundlesFrom === undefined && !isOfLocks(args)) {
    throw new UsageError('Cannot run "rlp agent verify": <bundle..> is missing', {
      field: 'bundle',
      hint: 'Name a bundle, a folder of bundles, a list of them with --bundles-from, or a lock with --lock',
    })
  }
  if (isOfLocks(args) && expect !== undefined)
    throw new UsageError(
      'Cannot use --expect: no bundle is named, and the locks say which agents are expected',
      {
        field: 'expect',
        hint: 'Leave --expect out, or name a bundle',
      },
    )
  if (json && (format !== undefined || since.length > 0)) {
    const other = format === undefined ? '--since' : '--format'
    throw new UsageError(`Cannot use ${other} with --json: both say how to report`, {
      field: format === undefined ? 'since' : 'format',
      hint: 'For programs, --format ndjson reports many bundles, and --json a few with all details',
    })
  }
  const { isData, isSigned } = fleetFormatOf(format)
  if (isData && isAttesting(args)) {
    throw new UsageError(`Cannot attest with --format ${format}: with it, --key signs the report`, {
      field: 'format',
      hint: 'Leave --format out for a statement about one bundle, or name --key alone',
    })
  }
  if (key !== undefined && isData && !isSigned)
    throw new UsageError(`Cannot sign a report in ${format}: it has no place for a signature`, {
      field: 'key',
      hint: 'Use --format ndjson, or leave --key out',
    })
  if (sinceKey.length > 0 && since.length === 0)
    throw new UsageError('Cannot use --since-key: no report is named', {
      field: 'since-key',
      hint: 'Name one with --since',
    })
  if (key !== undefined && isData && since.length > 0 && sinceKey.length === 0) {
    throw new UsageError('Cannot sign verdicts of another report that need not be signed itself', {
      field: 'since-key',
      hint: 'Demand its signature with --since-key KEY, or leave --since out',
    })
  }
  if (key === '-' && (bundlesFrom === '-' || bundle.includes('-')))
    throw new UsageError('Cannot read a key and bundles from standard input at once', {
      field: 'key',
      hint: 'Name a file for one of them',
    })
  refusePart(args)
  if (nul && bundlesFrom === undefined)
    throw new UsageError('Cannot use --null: it is about a list', {
      field: 'null',
      hint: '--null needs --bundles-from',
    })
  if (expect !== undefined) expectationIn(expect)
}
