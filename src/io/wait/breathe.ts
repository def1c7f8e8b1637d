// A loop that never waits → one that lets signals and timers in now and then.
import { RlpError } from '../../model/error.ts'
import type { Steps } from '../../model/steps.ts'

const WITHOUT_A_BREAK_MS = 20
// Not `performance.now()`: for it Node loads a dozen modules.
let since = Date.now()

/** Waits for one turn of the event loop if the last was a while ago: Ctrl-C is only noticed between two. */
export async function breathe(): Promise<void> {
  if (hasBreath()) return
  await new Promise(resolve => setImmediate(resolve))
  since = Date.now()
}

function hasBreath(): boolean {
  const passed = Date.now() - since
  // If the clock was set back, pause now instead of waiting until it has caught up.
  return passed >= 0 && passed < WITHOUT_A_BREAK_MS
}

/**
 * Work in steps, with turns of the event loop between them.
 *
 * @param doing for the message: `Cancelled while …`
 * @throws RlpError CANCELLED when `signal` aborts
 */
export async function inTurns<T>(steps: Steps<T>, doing: string, signal?: AbortSignal): Promise<T> {
  for (;;) {
    if (signal?.aborted) throw new RlpError('CANCELLED', `Cancelled while ${doing}`)
    const step = steps.next()
    if (step.done === true) return step.value
    if (!hasBreath()) await breathe()
  }
}
