// rlp agent verify: one of nine verdicts for each bundle.

import { readReference } from '../agent/agent-name.ts'
import { defineCommand, type Io } from '../cli/command.ts'
import { note } from '../cli/render/report.ts'
import { trimmed } from '../io/find/search-folders.ts'
import { namedPath } from '../io/home.ts'
import { UsageError } from '../model/error.ts'
import type { ExitCode } from '../model/exit-code.ts'
import { LOCK_FILE } from '../model/lock.ts'
import { nothingPassed, type PassedOver } from '../model/report.ts'
import { VERDICTS } from '../model/verdict.ts'
import { printable } from '../text/printable.ts'
import { judgingOf, locksOf, trustOf } from '../verify/judging-options.ts'
import { fleetFormatOf } from './formats/index.ts'
import { refuseUnreached } from './judge-all.ts'
import { reportWhole } from './render-whole.ts'
import { readShard, type Shard } from './shard.ts'
import { listedIn, type NamedBundle, namedBundles, storedIn, taskOf } from './sources.ts'
import type { FleetOptions, FleetTask } from './task.ts'
import {
  isAttesting,
  isOfLocks,
  refuseTogether,
  VERIFY_OPTIONS,
  VERIFY_POSITIONALS,
  type VerifyArgs,
} from './verify-options.ts'

export const command = defineCommand({
  name: 'agent verify',
  summary: 'the verdict on a bundle, and what was checked for it',
  positionals: VERIFY_POSITIONALS,
  options: VERIFY_OPTIONS,
  examples: [
    ['rlp agent verify dist/mailer-0.1.0.agent.bundle', 'one bundle'],
    ['rlp agent verify dist', 'every bundle in a folder and below it, one line for each'],
    ['rlp agent verify dist --json | jq -e .result.passed', 'the same for a program'],
    ['find dist -name "*.agent.bundle" -print0 | rlp agent verify --bundles-from - -0', 'what a list names'],
    ['rlp agent verify dist --format ndjson > report.ndjson', 'thousands of bundles, for a program'],
    ['rlp agent verify upload.bin --expect mailer@^0.1', 'a file whose name does not tell the agent'],
    ['rlp agent verify dist --locked', 'every bundle as rlp.lock pins it'],
    ['rlp agent verify --lock mail.lock --lock sales.lock', 'every agent that two locks name'],
    ['rlp agent verify oci://registry.example/agents/', 'every repository below a prefix'],
    [
      'rlp agent verify mailer.agent.bundle --key ci --verifier https://ci.example/v --resource https://r.example/mailer',
      'and a signed summary of the verdict',
    ],
    ['rlp agent verify mailer', 'the agent that is installed under this name'],
  ],
  notes: `Verdicts, in order of precedence, with exit codes: ${Object.entries(VERDICTS)
    .map(([verdict, { exit }]) => `${verdict} ${exit}`)
    .join(
      ', ',
    )}. With several bundles the first of them in this order decides.\n\nOne bundle gets a whole report. Of several, each that is not accepted gets its reasons. What is accepted gets a line among the first 64; --quiet leaves these out. More than 64 are judged in threads, and are reported in the order in which they are done (docs/fleet.md).\n\nWith --json, "ok" says that the command could run; "result.passed" says that every bundle is accepted.`,
  async run(args, io) {
    refuseTogether(args)
    const shard = await shardIn(args, io)
    const passed = nothingPassed()
    const named = isOfLocks(args)
      ? await lockedIn(args, io)
      : namedBundles({ bundles: args.bundle, root: args.root, expect: args.expect }, passed, io)
    try {
      return await verifyNamed(named, { passed, shard }, args, io)
    } finally {
      // The search has folders open until it ends.
      await named.return(undefined)
    }
  },
})

async function verifyNamed(
  named: AsyncGenerator<NamedBundle>,
  { passed, shard }: { readonly passed: PassedOver; readonly shard: Shard | undefined },
  args: VerifyArgs,
  io: Io,
): Promise<ExitCode> {
  // Two are enough to know whether there is one. The second is not there before everything was searched.
  const ahead = [await named.next(), await named.next()].flatMap(({ value }) => value ?? [])
  const isAlone = ahead.length === 1 && args.bundlesFrom === undefined
  const [only] = ahead
  // Nothing waits behind it, so it is asked at once what it has: one bundle gets a whole report. In a list it is one name, in each job.
  const isCounted = shard !== undefined || fleetFormatOf(args.format).isData
  if (isAlone && only?.isRepository && !isCounted) ahead.splice(0, 1, ...(await storedIn(only, io)))
  if (shard !== undefined && isAlone && only !== undefined) refuseDirect(only, args)
  const [first] = ahead
  const isOne = shard === undefined && isAlone && ahead.length === 1 && first?.isPrefix !== true
  if (isAttesting(args)) {
    if (first === undefined || !isOne || first.problem !== undefined || args.since.length > 0)
      throw new UsageError('Cannot attest: a summary is about one bundle', { hint: 'Name one bundle' })
    const { attestVerified } = await import('../evidence/render-summary.ts')
    const locks = await locksOf(args, io)
    const options = { expect: args.expect, locks, ...judgingOf(args, io) }
    return attestVerified(first, options, args, io)
  }
  if (args.json && isOne && first?.problem !== undefined) refuseUnreached(first.problem)
  const tasks = all(ahead, named, passed, args, io)
  const isWhole = isOne && first?.problem === undefined && !fleetFormatOf(args.format).isData
  if (args.json || (isWhole && args.since.length === 0)) return reportWhole(tasks, passed, args, io)
  const { reportFleet } = await import('./render.ts')
  return reportFleet(
    {
      tasks: withPlaces(tasks, io),
      passed,
      options: await fleetOptionsOf(args, io),
      part: { shard, run: args.run },
    },
    args,
    io,
  )
}

/** The agents of the locks that were named. @throws UsageError for locks that cannot be used together */
async function lockedIn(args: VerifyArgs, io: Io): Promise<AsyncGenerator<NamedBundle>> {
  const paths = await locksOf(args, io)
  const labels = args.locked ? [LOCK_FILE] : args.lock
  const { lockedBundles } = await import('./locked-bundles.ts')
  return lockedBundles(
    paths.map((path, at) => ({ path, label: labels[at] ?? path })),
    namedPath(args.root, io.cwd),
    io,
  )
}

/** @throws UsageError if no scheduler says which part this is, or several do */
async function shardIn({ shard, quiet, json }: VerifyArgs, io: Io): Promise<Shard | undefined> {
  if (shard === undefined) return undefined
  if (shard !== 'auto') return readShard(shard)
  const { shardOfScheduler } = await import('./scheduler.ts')
  const scheduled = shardOfScheduler(io.env)
  note(io, { quiet, json }, scheduled.says)
  return scheduled.shard
}

/** A part of one bundle is a mistake; a folder, a repository, a prefix, a list or a lock with one bundle is not. */
function refuseDirect(
  { label, reference, problem, isRepository, isPrefix }: NamedBundle,
  { bundle }: VerifyArgs,
): void {
  const isNamed = bundle.some(one => label === one || label === trimmed(one))
  const isMany = isRepository || isPrefix || bundle.length === 0
  if (isMany || problem !== undefined || (!isNamed && reference === undefined)) return
  throw new UsageError(`Cannot use --shard: "${printable(label)}" is one bundle`, {
    field: 'shard',
    hint: 'Name a folder or a list of bundles, or leave --shard out',
  })
}

/** Bundles as they are found: those of the arguments, then those of the list. */
async function* all(
  ahead: readonly NamedBundle[],
  named: AsyncIterable<NamedBundle>,
  passed: PassedOver,
  args: VerifyArgs,
  io: Io,
): AsyncGenerator<FleetTask> {
  for (const one of ahead) yield taskOf(one, args.expect)
  for await (const one of named) yield taskOf(one, args.expect)
  const { bundlesFrom, root, expect, null: nul } = args
  if (bundlesFrom !== undefined) yield* listedIn(bundlesFrom, { root, expect, nul }, passed, io)
}

/** Names of agents are not looked for in threads, which know no command line. */
async function* withPlaces(tasks: AsyncIterable<FleetTask>, io: Io): AsyncGenerator<FleetTask> {
  for await (const task of tasks) {
    const message = `Cannot read "${task.label}": no such file or folder`
    const isName = task.problem === undefined && readReference(task.label) !== undefined
    const hint = isName ? await io.elsewhere?.(message) : undefined
    yield hint === undefined ? task : { ...task, problem: { code: 'unreadable', message, hint } }
  }
}

async function fleetOptionsOf(args: VerifyArgs, io: Io): Promise<FleetOptions> {
  const { allowUnsigned, allowDev } = args
  const { trustPolicy, attestations, root } = trustOf(args, io)
  return {
    allowUnsigned,
    allowDev,
    attestations,
    root,
    env: { ...io.env },
    locks: await locksOf(args, io),
    trustPolicy: typeof trustPolicy === 'string' ? trustPolicy : undefined,
  }
}
