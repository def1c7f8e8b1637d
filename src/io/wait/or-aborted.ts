// Waits for a promise that may never settle, until a signal aborts.

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
