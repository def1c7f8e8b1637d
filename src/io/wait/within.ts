// A promise and a time → waits for the first of the two.
/** Waits for a promise, but not longer than `ms` milliseconds. Its timer does not keep the process alive. */
export async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, late])
  clearTimeout(timer)
}
