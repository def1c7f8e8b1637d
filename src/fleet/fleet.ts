// Bundles, as they are found → their records, as they are judged. Few are judged here, many on every core; memory does not grow with them.
import { accessFrom, type Setting } from '../io/setting.ts'
import { throwIfCancelled } from '../io/wait/breathe.ts'
import type { Reason } from '../model/report.ts'
import { answerWork, type Judge, judgeOne, judgeWith } from './judge.ts'
import { FarLanes, farServer, readerReady } from './lanes.ts'
import type { TakesPart } from './listing.ts'
import { type EarlierReports, SinceWork } from './since-work.ts'
import { type ListedRepositories, repositoriesIn, storedIn, taskOf } from './sources.ts'
import { StoredSince } from './stored-since.ts'
import {
  type Digest,
  type FleetAnswer,
  type FleetJudged,
  type FleetOptions,
  type FleetTask,
  type FleetWork,
  isHashing,
  unjudged,
  WORTH_THREADS,
} from './task.ts'

export interface Fleet {
  readonly tasks: AsyncIterable<FleetTask>
  readonly options: FleetOptions
  readonly earlier: EarlierReports | undefined
  /** The most threads to start. With 1, none is started: the calling thread judges every bundle. */
  readonly threads: number
  readonly setting: Pick<Setting, 'env' | 'registries' | 'signal'>
  onJudged(judged: FleetJudged): void
  onListed(listed: ListedRepositories): void
  /** Reports whether this job judges a repository below a prefix. Without it, the job judges all of them. */
  readonly takes?: TakesPart
  /** Bytes of the report that its reader has not read yet. */
  unread(): number
}

/** @throws RlpError CANCELLED, USAGE for a file that is no report, and what the tasks throw */
export async function verifyFleet(fleet: Fleet): Promise<void> {
  const { options, setting, onJudged, earlier } = fleet
  const { signal } = setting
  const judge = await judgeWith(options, { access: accessFrom(setting), signal })
  const far = new FarLanes(signal)
  // Lists wait for room behind what they have found, so they must not take its place.
  const lists = new FarLanes(signal)
  const judgeNow = async (task: FleetTask, until: AbortSignal) =>
    onJudged(await judgeOne(task, { ...judge, signal: until }))
  const storedSince = earlier && new StoredSince(earlier, signal)
  /** Earlier reports are asked about many bundles at once. */
  const judgeFar = async (task: FleetTask, until: AbortSignal): Promise<void> => {
    if (storedSince === undefined) return judgeNow(task, until)
    const known = await storedSince.look(task, { ...judge, signal: until })
    if (known !== undefined) await judgeNow(known, until)
    if (storedSince.isFull) await judgeStored()
  }
  const judgeStored = async (): Promise<void> => {
    for await (const task of storedSince?.take() ?? [])
      await far.add(farServer(task.path) ?? '', until => judgeNow(task, until))
  }
  const fetched = async (task: FleetTask, until: AbortSignal): Promise<void> => {
    await readerReady({ unread: fleet.unread, signal: until })
    if (task.isRepository !== true) return judgeFar(task, until)
    const found = (await storedIn(task, { ...setting, signal: until })).map(one => taskOf(one, task.expect))
    for (const one of found) if (one.problem !== undefined) onJudged(await judgeOne(one, judge))
    const stored = found.filter(({ problem }) => problem === undefined)
    far.addFirst(
      farServer(task.path) ?? '',
      stored.map(one => (later: AbortSignal) => fetched(one, later)),
    )
  }
  const listed = async (task: FleetTask, server: string, until: AbortSignal): Promise<void> => {
    for await (const one of repositoriesIn(task, { ...setting, signal: until }, fleet.onListed)) {
      if (fleet.takes?.(one) === false) continue
      if (one.problem === undefined) await far.add(server, later => fetched(one, later))
      else onJudged(await judgeOne(one, judge))
    }
  }
  const tasks = fleet.tasks[Symbol.asyncIterator]()
  const since = earlier && new SinceWork(tasks, earlier, signal)
  const work: AsyncIterator<FleetWork> = since?.work() ?? tasks
  /** The next one that is on this machine. */
  const next = async (): Promise<FleetWork | undefined> => {
    for (;;) {
      await readerReady({ unread: fleet.unread, signal })
      throwIfCancelled(signal, 'verifying')
      const found = await work.next()
      if (found.done === true) return undefined
      const { value } = found
      if (isHashing(value)) return value
      const server = value.problem === undefined ? farServer(value.path) : undefined
      if (server === undefined) return value
      if (value.isPrefix === true) await lists.add(server, until => listed(value, server, until))
      else await far.add(server, until => fetched(value, until))
    }
  }
  try {
    await judgeHere(fleet, { judge, since, next })
    await lists.settle()
    await far.settle()
    await judgeStored()
    await far.settle()
  } catch (error) {
    await Promise.all([lists.end(error), far.end(error)])
    throw error
  }
}

interface WorkHere {
  readonly judge: Judge
  readonly since: SinceWork | undefined
  /** The next work on this machine. */
  next(): Promise<FleetWork | undefined>
}

async function judgeHere(
  { options, threads, setting: { signal }, onJudged }: Fleet,
  { judge, since, next }: WorkHere,
): Promise<void> {
  const here = async (work: FleetWork) => onAnswer(await answerWork(work, judge), work)
  const onAnswer = (answer: FleetAnswer, work: FleetWork) => {
    if (isHashing(work)) since?.hashed(work, answer as readonly Digest[])
    else onJudged(answer as FleetJudged)
  }
  // A bundle is begun when it is hashed, if reports say something of it.
  const bundlesIn = (work: FleetWork) => (isHashing(work) ? work.length : since === undefined ? 1 : 0)
  // How many there are is not known before the last one was found.
  let begun = 0
  let first: FleetWork | undefined
  for (;;) {
    first = await next()
    if (first === undefined) return
    begun += bundlesIn(first)
    if (threads > 1 && begun > WORTH_THREADS) break
    await here(first)
  }
  const { judgeInThreads } = await import('./threads.ts')
  await judgeInThreads<FleetWork, FleetAnswer>({
    async next() {
      const work = first ?? (await next())
      first = undefined
      return work
    },
    onJudged: onAnswer,
    onLost: (work, why) => onAnswer(isHashing(work) ? [] : unjudged(work, lost(why)), work),
    judgeHere: here,
    bundlesIn,
    given: options,
    width: threads,
    signal,
  })
}

function lost(why: string): Reason {
  return {
    code: 'worker_died',
    message: `The thread that was judging it stopped: ${why}`,
    hint: 'Verify this bundle by itself',
  }
}
