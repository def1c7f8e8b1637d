// A loop that works without waiting → one that lets signals, timers and other people's work in now and then.
const WITHOUT_A_BREAK_MS = 20
// Not `performance.now()`: Node loads a dozen modules for it.
let since = Date.now()

/** Waits for one turn of the event loop when the last one is a while ago: Ctrl-C is only heard between two. */
export async function breathe(): Promise<void> {
  const passed = Date.now() - since
  // A clock that was set back must not hold the breath until it has caught up.
  if (passed >= 0 && passed < WITHOUT_A_BREAK_MS) return
  await new Promise(resolve => setImmediate(resolve))
  since = Date.now()
}
