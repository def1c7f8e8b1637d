// Ends a wait when a signal aborts, and leaves no listener behind. Node warns of a leak at eleven listeners of one signal; requests that run at the same
// time listen to one that is joined here.
import { setMaxListeners } from 'node:events'

/** Returns a signal that aborts as soon as one of these does, with its reason. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const signal = AbortSignal.any([...signals])
  setMaxListeners(0, signal)
  return signal
}

/** @param stopped what is thrown when `signal` aborts */
export async function orAborted<T>(
  next: PromiseLike<T>,
  signal: AbortSignal | undefined,
  stopped: () => Error,
): Promise<T> {
  if (signal === undefined) return next
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(stopped())
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([next, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
    // Of the two, the one that lost may still fail.
    void Promise.allSettled([next, aborted])
  }
}
