// A loop that never waits → one that lets signals and timers in now and then.
import { RlpError } from '../../model/error.ts'
import { hadTurn, hasBreath, type LoadingSteps } from '../../model/steps.ts'

/** Waits for one turn of the event loop if the last was a while ago: Ctrl-C is only noticed between two. */
export async function breathe(): Promise<void> {
  if (hasBreath()) return
  await new Promise(resolve => setImmediate(resolve))
  hadTurn()
}

/**
 * Work in steps, with turns of the event loop between them. Loads what a step asks for.
 *
 * @param doing for the message: `Cancelled while …`
 * @throws RlpError CANCELLED when `signal` aborts
 */
export async function inTurns<T>(steps: LoadingSteps<T>, doing: string, signal?: AbortSignal): Promise<T> {
  for (;;) {
    if (signal?.aborted) throw new RlpError('CANCELLED', `Cancelled while ${doing}`)
    const step = steps.next()
    if (step.done === true) return step.value
    if (step.value !== undefined) await step.value.load()
    if (!hasBreath()) await breathe()
  }
}
