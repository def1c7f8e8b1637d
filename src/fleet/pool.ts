// Bundles → threads that judge them, one for each core.
import { availableParallelism } from 'node:os'
import { besideFile, startThread } from '../io/process/thread.ts'
import { RlpError } from '../model/error.ts'
import { type LineJob, ThreadLine } from './line.ts'
import type { FleetTask, WorkerGiven } from './task.ts'

export interface PoolJob extends Omit<LineJob, 'start'> {
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
