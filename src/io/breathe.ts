// A loop that works without waiting → one that lets signals, timers and other people's work in now and then.
const WITHOUT_A_BREAK_MS = 20
let since = performance.now()

/** Waits for one turn of the event loop when the last one is a while ago: Ctrl-C is only heard between two. */
export async function breathe(): Promise<void> {
  if (performance.now() - since < WITHOUT_A_BREAK_MS) return
  await new Promise(resolve => setImmediate(resolve))
  since = performance.now()
}
