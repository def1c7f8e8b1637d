// Bundles, as they are found → their records, as they are judged. Few are judged here, many on every core; memory does not grow with them.
import { accessFrom, type Setting } from '../io/setting.ts'
import { throwIfCancelled } from '../io/wait/breathe.ts'
import type { Reason } from '../model/report.ts'
import { type Judge, judgeOne, judgeWith } from './judge.ts'
import { FarLanes, farServer, readerReady } from './lanes.ts'
import { EarlierReport } from './report-file.ts'
import { storedIn, taskOf } from './sources.ts'
import { type FleetJudged, type FleetOptions, type FleetTask, unjudged } from './task.ts'

export interface Fleet {
  readonly tasks: AsyncIterable<FleetTask>
  readonly options: FleetOptions
  /** Bytes of an earlier report, and what it is called. */
  readonly earlier: { readonly bytes: Uint8Array; readonly label: string } | undefined
  readonly setting: Pick<Setting, 'env' | 'registries' | 'signal'>
  onJudged(judged: FleetJudged): void
  /** Bytes of the report that its reader has not read yet. */
  unread(): number
}

/** Starting a thread takes as long as judging so many. */
export const WORTH_THREADS = 64

/** @throws RlpError CANCELLED, USAGE for a file that is no report, and what the tasks throw */
export async function verifyFleet(fleet: Fleet): Promise<void> {
  const { options, setting, onJudged } = fleet
  const { signal } = setting
  const earlier = fleet.earlier && new EarlierReport(fleet.earlier.bytes, fleet.earlier.label)
  const judge = await judgeWith(options, earlier, { access: accessFrom(setting), signal })
  const source = fleet.tasks[Symbol.asyncIterator]()
  const far = new FarLanes(signal)
  const fetched = async (task: FleetTask, until: AbortSignal): Promise<void> => {
    await readerReady({ unread: fleet.unread, signal: until })
    if (task.isRepository !== true) return onJudged(await judgeOne(task, { ...judge, signal: until }))
    for (const found of await storedIn(task, { ...setting, signal: until })) {
      const one = taskOf(found, task.expect)
      if (one.problem === undefined) far.addNow(farServer(one.path) ?? '', later => fetched(one, later))
      else onJudged(await judgeOne(one, judge))
    }
  }
  /** The next one that is on this machine. */
  const next = async () => {
    for (;;) {
      await readerReady({ unread: fleet.unread, signal })
      throwIfCancelled(signal, 'verifying')
      const found = await source.next()
      if (found.done === true) return undefined
      const task = found.value
      const server = task.problem === undefined ? farServer(task.path) : undefined
      if (server === undefined) return task
      await far.add(server, until => fetched(task, until))
    }
  }
  try {
    await judgeHere(fleet, judge, next)
    await far.settle()
  } catch (error) {
    await far.end(error)
    throw error
  }
}

async function judgeHere(
  { options, earlier, setting: { signal }, onJudged }: Fleet,
  judge: Judge,
  next: () => Promise<FleetTask | undefined>,
): Promise<void> {
  // How many there are is not known before the last one was found.
  for (let count = 0; count < WORTH_THREADS; count++) {
    const task = await next()
    if (task === undefined) return
    onJudged(await judgeOne(task, judge))
  }
  const { judgeInThreads } = await import('./threads.ts')
  const given = { options, earlier: earlier && shared(earlier.bytes) }
  const onLost = (task: FleetTask, why: string) => onJudged(unjudged(task, lost(why)))
  const here = async (task: FleetTask) => onJudged(await judgeOne(task, judge))
  await judgeInThreads({ next: oneByOne(next), onJudged, onLost, judgeHere: here, given, signal })
}

function lost(why: string): Reason {
  return {
    code: 'worker_died',
    message: `The thread that was judging it stopped: ${why}`,
    hint: 'Verify this bundle by itself',
  }
}

/** Every thread looks at the same memory. */
function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

/** The same calls, one after another: an iterator has no more than one open question. */
function oneByOne<T>(call: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const result = last.then(call)
    // An error is the caller's; the next call is made all the same.
    last = Promise.allSettled([result])
    return result
  }
}
