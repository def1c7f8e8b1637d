// Judges bundles in threads, one for each core. A thread that dies or hangs costs the bundle that it was working on, and no other.
import { availableParallelism } from 'node:os'
import { besideFile, startThread, type Thread } from '../io/process/thread.ts'
import { RlpError } from '../model/error.ts'
import type { FleetJudged, FleetTask, WorkerGiven } from './task.ts'

interface PoolJob extends Omit<LineJob, 'start'> {
  /** Judges a bundle without a thread. */
  judgeHere(task: FleetTask): Promise<void>
  readonly given: WorkerGiven
  readonly signal: AbortSignal
  /** For tests. */
  readonly start?: LineJob['start']
  readonly width?: number
}

/** Megabytes of a thread for what lives shortly. With more it holds more, and is no faster: it judges one after another. */
const YOUNG = 4

/** @throws RlpError CANCELLED, and what `next` throws */
export async function judgeInThreads(job: PoolJob): Promise<void> {
  const { signal, width = availableParallelism(), given } = job
  const start: LineJob['start'] = on =>
    startThread(besideFile(import.meta.filename, 'fleet-worker'), given, YOUNG, on)
  const lines = Array.from({ length: width }, () => new ThreadLine({ start, ...job }))
  const stop = () => {
    for (const line of lines) line.stop(new RlpError('CANCELLED', 'Cancelled while verifying'))
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted) stop()
    await Promise.all(lines.map(line => line.ended))
  } finally {
    signal.removeEventListener('abort', stop)
    for (const line of lines) line.stop()
  }
  // Left over if no thread could be started: `node --permission` allows none without --allow-worker.
  for (let task = await job.next(); task !== undefined; task = await job.next()) await job.judgeHere(task)
}

export interface LineJob {
  /** The next bundle; undefined after the last one. Waits until another one may be begun. */
  next(): Promise<FleetTask | undefined>
  onJudged(judged: FleetJudged): void
  /** Told of a bundle that was not judged, and why. */
  onLost(task: FleetTask, why: string): void
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
export class ThreadLine {
  readonly ended: Promise<void>
  readonly #job: LineJob
  readonly #given: FleetTask[] = []
  #thread: Thread | undefined
  #deaths = 0
  #isFeeding = false
  #isFed = false
  #timer: NodeJS.Timeout | undefined
  #end: () => void = () => undefined
  #fail: (error: unknown) => void = () => undefined

  constructor(job: LineJob) {
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
        message: message => this.#judged(message as FleetJudged),
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

  #take(task: FleetTask): void {
    // The last thread may have been given up while this bundle was looked for.
    if (this.#thread === undefined) {
      this.#job.onLost(task, 'no thread was left')
      return
    }
    this.#given.push(task)
    if (this.#given.length === 1) this.#watch()
    this.#thread.post(task)
  }

  #judged(judged: FleetJudged): void {
    this.#given.shift()
    this.#deaths = 0
    this.#watch()
    this.#job.onJudged(judged)
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
