// Campaign 2: inputs by the thousand, made with knowledge of their format and then damaged. A worker answers them one by one; this side
// watches it, so that an input without an end, or one that eats all memory, is found as surely as an exception.
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { compiledModules } from '../../test/support/compile.ts'
import type { Campaign, Session } from './campaign.ts'
import type { Report, Task } from './fuzz-worker.ts'
import { TARGETS } from './targets/index.ts'
import type { Target } from './targets/target.ts'

/** Beyond it the worker is taken away from an input, whatever the reason. */
const WATCH_MS = 4000
/** When it is looked at again, alone. */
const WATCH_ALONE_MS = 20_000
const MOST_HEAP_MB = 512

export const campaign: Campaign = fuzzing(TARGETS, new URL('./targets/index.ts', import.meta.url))

/** @param module exports `TARGETS`, the same as `targets`, for the worker */
export function fuzzing(targets: readonly Target[], module: URL, watchMs = WATCH_MS): Campaign {
  return {
    name: 'fuzz',
    summary: 'no input makes it crash, hang, eat memory or write elsewhere; every answer is one',
    isEndless: true,
    async run(session) {
      let left = targets.flatMap(target => wanted(target, session))
      const worker = await compiledWorker(module, join(session.folder, 'worker'))
      while (left.length > 0 && !session.isOver()) left = await goOn(session, left, worker, watchMs)
    },
  }
}

/** Cases of one target that are still to come. */
interface Range {
  readonly name: string
  readonly from: number
  readonly to: number
}

function wanted({ name, share }: Target, { only, round, isSlice }: Session): Range[] {
  const [, target, number] = /^([a-z-]+):([0-9]+)$/.exec(only ?? '') ?? []
  if (only !== undefined)
    return name === target ? [{ name, from: Number(number), to: Number(number) + 1 }] : []
  const from = round * share
  return [{ name, from, to: from + (isSlice ? Math.max(1, Math.round(share / 250)) : share) }]
}

/** Works until a case takes the worker down, and looks at that one again: the first time the machine may have been busy. */
async function goOn(
  session: Session,
  ranges: readonly Range[],
  code: WorkerCode,
  watchMs: number,
): Promise<Range[]> {
  const { at, stopped } = await work(session, ranges, code, watchMs, false)
  for (const { name, from, to } of ranges.slice(0, at.range)) session.count(name, to - from)
  const current = ranges[at.range]
  if (current === undefined) return []
  const { name, to } = current
  const from = Math.max(current.from, at.index)
  session.count(name, from - current.from)
  if (stopped === undefined) return []
  const alone = { name, from, to: from + 1 }
  const again = await work(session, [alone], code, watchMs === WATCH_MS ? WATCH_ALONE_MS : watchMs, true)
  if (again.stopped !== undefined) session.defect({ case: `${name}:${from}`, what: again.stopped })
  session.count(name, 1)
  return [{ name, from: from + 1, to }, ...ranges.slice(at.range + 1)].filter(range => range.from < range.to)
}

interface Worked {
  /** The first case without an answer. */
  readonly at: { readonly range: number; readonly index: number }
  /** Why it has none. */
  readonly stopped?: string
}

function work(
  session: Session,
  ranges: readonly Range[],
  code: WorkerCode,
  watchMs: number,
  isAlone: boolean,
): Promise<Worked> {
  // Where the worker is, range and index: written by it before each case, read here.
  const now = new Int32Array(new SharedArrayBuffer(8)).fill(-1)
  const { seed, folder } = session
  const task: Task = { module: code.targets.href, ranges, seed, now, folder, isAlone }
  const worker = new Worker(code.program, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  })
  let stopped: string | undefined
  let isDone = false
  let before = ''
  let since = performance.now()
  const watch = setInterval(() => {
    const place = `${Atomics.load(now, 0)} ${Atomics.load(now, 1)}`
    if (place !== before) {
      before = place
      since = performance.now()
    } else if (Atomics.load(now, 0) >= 0 && performance.now() - since > watchMs) {
      stopped = `no answer after ${watchMs} ms`
      void worker.terminate()
    }
    if (session.isOver() && !isAlone) void worker.terminate()
  }, 100)
  worker.on('message', (report: Report) => {
    if (report.is === 'done') isDone = true
    else if (report.is === 'answers') session.tally(report.name, report.answers)
    else session.defect({ case: `${report.name}:${report.index}`, what: report.what, input: report.input })
  })
  worker.on('error', error => {
    stopped ??= `it took the worker down: ${error instanceof Error ? error.message : String(error)}`
  })
  return new Promise(resolve =>
    worker.on('exit', () => {
      clearInterval(watch)
      if (isDone) return resolve({ at: { range: ranges.length, index: 0 } })
      const at = { range: Math.max(0, Atomics.load(now, 0)), index: Atomics.load(now, 1) }
      if (stopped === undefined && session.isOver()) return resolve({ at })
      // A promise that never settles: nothing is left to do, and there is no answer.
      resolve({ at, stopped: stopped ?? 'the worker ended without an answer' })
    }),
  )
}

interface WorkerCode {
  readonly program: URL
  readonly targets: URL
}

/** A new worker is needed after each case that takes one down: through tsx, each would compile all of this again. */
async function compiledWorker(module: URL, folder: string): Promise<WorkerCode> {
  const program = fileURLToPath(new URL('./fuzz-worker.ts', import.meta.url))
  await compiledModules({ worker: program, targets: fileURLToPath(module) }, folder)
  const at = (name: string) => pathToFileURL(join(folder, `${name}.mjs`))
  return { program: at('worker'), targets: at('targets') }
}
