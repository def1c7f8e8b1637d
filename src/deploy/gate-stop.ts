// A controller → the end of waiting for what it stops.
/** A source that does not hear the signal must not delay the answer. */
export function stopping(controller: AbortController) {
  let end = (): void => undefined
  const promise = new Promise<undefined>(resolve => {
    end = () => resolve(undefined)
  })
  const stop = () => {
    controller.abort()
    end()
  }
  return { promise, stop }
}
