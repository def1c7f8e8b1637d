// Judges bundles in threads, which start as bundles are found. A thread that dies or hangs costs the bundle that it was working on, and no other.
import { besideFile, startThread, type Thread } from '../io/process/thread.ts'
import { RlpError } from '../model/error.ts'
import { type FleetJudged, type FleetOptions, type FleetTask, WORTH_THREADS } from './task.ts'

interface PoolJob<Work, Answer> extends Omit<LineJob<Work, Answer>, 'start'> {
  /** Judges a bundle without a thread. */
  judgeHere(work: Work): Promise<void>
  /** How many bundles are begun with it; 1 if left out. */
  bundlesIn?(work: Work): number
  readonly given: FleetOptions
  readonly signal: AbortSignal
  /** At most so many threads. */
  readonly width: number
  /** For tests. */
  readonly start?: LineJob<Work, Answer>['start']
}

/** Megabytes of a thread for what lives shortly. With more it holds more, and is no faster: it judges one after another. */
const YOUNG = 4

/** @throws RlpError CANCELLED, and what `next` throws */
export async function judgeInThreads<Work, Answer>(job: PoolJob<Work, Answer>): Promise<void> {
  const pool = new ThreadPool(job)
  const stop = () => pool.stop(new RlpError('CANCELLED', 'Cancelled while verifying'))
  job.signal.addEventListener('abort', stop, { once: true })
  try {
    if (job.signal.aborted) stop()
    await pool.run()
  } finally {
    job.signal.removeEventListener('abort', stop)
    pool.stop()
  }
}

/** Looks for bundles ahead of the threads, and starts one thread for each {@link WORTH_THREADS} that were found. */
class ThreadPool<Work, Answer> {
  readonly #job: PoolJob<Work, Answer>
  readonly #lines: ThreadLine<Work, Answer>[] = []
  readonly #found: Work[] = []
  #begun = 0
  #running = 0
  #isOver = false
  #failure: { readonly error: unknown } | undefined
  #wake: (() => void)[] = []

  constructor(job: PoolJob<Work, Answer>) {
    this.#job = job
  }

  async run(): Promise<void> {
    void this.#find()
    while (this.#failure === undefined && (this.#isOver ? this.#running > 0 : this.#hasHelp()))
      await this.#change()
    // Left over if no thread could be started: `node --permission` allows none without --allow-worker.
    for (let work = await this.#take(); work !== undefined; work = await this.#take())
      await this.#job.judgeHere(work)
  }

  /** Whether a thread runs, or may still be started. */
  #hasHelp(): boolean {
    return this.#running > 0 || this.#lines.length === 0
  }

  stop(error?: RlpError): void {
    if (error !== undefined) this.#fail(error)
    for (const line of this.#lines) line.stop(error)
  }

  async #find(): Promise<void> {
    const { next, bundlesIn = () => 1, width } = this.#job
    try {
      while (this.#failure === undefined) {
        const work = await next()
        if (work === undefined) break
        this.#found.push(work)
        this.#begun += bundlesIn(work)
        const { length } = this.#lines
        if (length === 0 || (length < width && this.#begun > length * WORTH_THREADS)) this.#begin()
        this.#changed()
        while (this.#found.length >= width * WORTH_THREADS) await this.#change()
      }
      this.#isOver = true
      this.#changed()
    } catch (error) {
      this.#fail(error)
    }
  }

  #begin(): void {
    // One that ended by itself found no thread, and another one would find none either.
    if (this.#running < this.#lines.length) return
    const start: LineJob<Work, Answer>['start'] = on =>
      startThread(besideFile(import.meta.filename, 'fleet-worker'), this.#job.given, YOUNG, on)
    this.#running++
    const line = new ThreadLine<Work, Answer>({ start, ...this.#job, next: () => this.#take() })
    this.#lines.push(line)
    line.ended.then(
      () => {
        this.#running--
        this.#changed()
      },
      error => this.#fail(error),
    )
  }

  async #take(): Promise<Work | undefined> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error
      const work = this.#found.shift()
      if (work !== undefined) this.#changed()
      if (work !== undefined || this.#isOver) return work
      await this.#change()
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#changed()
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }

  #change(): Promise<void> {
    return new Promise(resolve => this.#wake.push(resolve))
  }
}

export interface LineJob<Work = FleetTask, Answer = FleetJudged> {
  /** The next bundle; undefined after the last one. Waits until another one may be begun. */
  next(): Promise<Work | undefined>
  onJudged(answer: Answer, work: Work): void
  /** Told of a bundle that was not judged, and why. */
  onLost(work: Work, why: string): void
  start(on: { message(message: unknown): void; lost(cause: unknown): void }): Thread
  readonly stallMs?: number
}

/** So many bundles wait at each thread, that it never waits for one, and tells of some together. */
const AHEAD = 8
/** No bundle on a disk takes a tenth of it. What is in a registry is not judged in threads. */
const STALL_MS = 300_000
/** A thread that dies as often without judging anything is not started again. */
const MOST_DEATHS = 3

/** One thread after another, each in the place of the one that died. */
export class ThreadLine<Work = FleetTask, Answer = FleetJudged> {
  readonly ended: Promise<void>
  readonly #job: LineJob<Work, Answer>
  readonly #given: Work[] = []
  #thread: Thread | undefined
  #deaths = 0
  #isFeeding = false
  #isFed = false
  #timer: NodeJS.Timeout | undefined
  #end: () => void = () => undefined
  #fail: (error: unknown) => void = () => undefined

  constructor(job: LineJob<Work, Answer>) {
    this.#job = job
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve
      this.#fail = reject
    })
    this.#begin()
  }

  stop(error?: RlpError): void {
    this.#isFed = true
    this.#letGo()
    if (error === undefined) this.#end()
    else this.#fail(error)
  }

  #begin(): void {
    try {
      this.#thread = this.#job.start({
        message: message => this.#judged(message as Answer),
        lost: cause => this.#died(cause),
      })
    } catch (error) {
      this.#died(error)
      return
    }
    for (const task of this.#given) this.#thread.post(task)
    this.#watch()
    void this.#feed()
  }

  /** Tops up what the thread has to do. */
  async #feed(): Promise<void> {
    if (this.#isFeeding) return
    this.#isFeeding = true
    try {
      while (!this.#isFed && this.#given.length < AHEAD) {
        const task = await this.#job.next()
        if (task === undefined) this.#isFed = true
        else this.#take(task)
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#isFeeding = false
    }
    if (this.#isFed && this.#given.length === 0) this.stop()
  }

  #take(task: Work): void {
    // The last thread may have been given up while this bundle was looked for.
    if (this.#thread === undefined) {
      this.#job.onLost(task, 'no thread was left')
      return
    }
    this.#given.push(task)
    if (this.#given.length === 1) this.#watch()
    this.#thread.post(task)
  }

  #judged(answer: Answer): void {
    const task = this.#given.shift()
    this.#deaths = 0
    this.#watch()
    if (task !== undefined) this.#job.onJudged(answer, task)
    void this.#feed()
  }

  #died(cause: unknown): void {
    // The next thread judges the bundles again whose answers did not arrive. The thread died of the bundle after them.
    const untold = this.#thread?.untold() ?? 0
    this.#letGo()
    const words = cause instanceof Error ? cause.message : String(cause)
    const [task] = this.#given.splice(untold, 1)
    if (task !== undefined) {
      if (untold > 0) this.#deaths = 0
      this.#job.onLost(task, words)
    }
    if (++this.#deaths < MOST_DEATHS) {
      this.#begin()
      return
    }
    for (const left of this.#given.splice(0)) this.#job.onLost(left, words)
    this.stop()
  }

  /** Time counts for the first of the bundles that the thread has. */
  #watch(): void {
    clearTimeout(this.#timer)
    const [task] = this.#given
    if (task === undefined) return
    const { stallMs = STALL_MS } = this.#job
    this.#timer = setTimeout(() => this.#died(`not decided within ${stallMs / 1000} s`), stallMs)
  }

  #letGo(): void {
    clearTimeout(this.#timer)
    const thread = this.#thread
    this.#thread = undefined
    thread?.letGo()
  }
}
