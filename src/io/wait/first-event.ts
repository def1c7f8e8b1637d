// A stream and names of events → waits for the first of them, or for a signal, and leaves no listener behind.
import type { EventEmitter } from 'node:events'

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
