// Waits until a time is over or an event comes, whichever is first, and leaves no listener behind.
import type { EventEmitter } from 'node:events'

/** Waits for a promise, but not longer than `ms` milliseconds. Its timer does not keep the process alive. */
export async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, late])
  clearTimeout(timer)
}

/** Waits for a promise, but not beyond the abort of a signal. */
export function untilAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
    promise.then(done, reject)
  })
}

export function firstEvent(
  emitter: EventEmitter,
  events: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      for (const event of events) emitter.off(event, done)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    for (const event of events) emitter.on(event, done)
    signal?.addEventListener('abort', done)
    if (signal?.aborted) done()
  })
}
