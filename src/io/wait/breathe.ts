// Lets other work run during long work, and ends that work when its caller aborts.

import { RlpError } from '../../model/error.ts'
import type { Turn } from '../../model/turn.ts'

const WITHOUT_A_BREAK_MS = 20
// Not `performance.now()`: for it Node loads a dozen modules.
let since = Date.now()

/** Whether the event loop had a turn a short while ago. No result depends on it. */
function hadTurn(): boolean {
  const passed = Date.now() - since
  // If the clock was set back, pause now instead of waiting until it has caught up.
  return passed >= 0 && passed < WITHOUT_A_BREAK_MS
}

/** Waits for one turn of the event loop if the last was a while ago: Ctrl-C is only noticed between two. */
export async function breathe(): Promise<void> {
  if (hadTurn()) return
  // Twice: between the two, timers that are due have run, and one of them may abort.
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
  since = Date.now()
}

/**
 * @param doing what the work does, for the message: `Cancelled while …`
 * @param signal the caller's; it is looked at before each part of the work
 */
export function turnsOf(doing: string, signal: AbortSignal | undefined): Turn {
  const look = () => {
    throwIfCancelled(signal, doing)
  }
  const pause = async () => {
    await breathe()
    look()
  }
  return () => {
    look()
    return hadTurn() ? undefined : pause()
  }
}

/**
 * Ends work whose caller has aborted it.
 *
 * @param doing what the work does, for the message: `Cancelled while …`
 * @throws RlpError CANCELLED
 */
export function throwIfCancelled(signal: AbortSignal | undefined, doing: string): void {
  if (signal?.aborted) throw new RlpError('CANCELLED', `Cancelled while ${doing}`)
}
