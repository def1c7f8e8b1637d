// A loop that works without waiting → one that lets signals, timers and other people's work in now and then.
const WITHOUT_A_BREAK_MS = 20
// Not `performance.now()`: Node loads a dozen modules for it, and a clock that jumps makes one pause too many or too few.
let since = Date.now()

/** Waits for one turn of the event loop when the last one is a while ago: Ctrl-C is only heard between two. */
export async function breathe(): Promise<void> {
  if (Date.now() - since < WITHOUT_A_BREAK_MS) return
  await new Promise(resolve => setImmediate(resolve))
  since = Date.now()
}
