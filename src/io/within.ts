// A promise → the same, for so long and no longer.
/** Waits for a promise, but not longer than so many milliseconds. Nothing is left behind that would keep the process alive. */
export async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, late])
  clearTimeout(timer)
}
