// The end of a run that has not ended by itself: its time is over, or somebody cancelled it.
import { cancelled, timedOut } from '../contract/outcomes.ts'
import type { RunRefusal } from '../model/run.ts'

export interface RunClock {
  /** Aborts once, for either reason. */
  readonly signal: AbortSignal
  /** Undefined while the run may go on. */
  verdict(toolId: string): RunRefusal | undefined
  /**
   * Waits for what cannot be aborted, but not beyond the end. After the end nothing is begun.
   *
   * @throws the signal's reason, and what the promise throws
   */
  race<T>(begin: () => Promise<T>): Promise<T>
  /** After the run: nothing is left behind, neither a timer nor a listener on the caller's signal. */
  stop(): void
}

/** The longest that Node's timers know; they take more for nothing. Milliseconds. */
const LONGEST = 2 ** 31 - 1

export function startClock(timeoutMs: number, cancel: AbortSignal): RunClock {
  const controller = new AbortController()
  let ended: 'late' | 'cancelled' | undefined
  const end = (why: 'late' | 'cancelled') => {
    ended ??= why
    controller.abort()
  }
  const onCancel = () => end('cancelled')
  const timer = setTimeout(end, Math.min(timeoutMs, LONGEST), 'late')
  if (cancel.aborted) onCancel()
  else cancel.addEventListener('abort', onCancel, { once: true })
  return {
    signal: controller.signal,
    verdict: toolId => {
      if (ended === undefined) return undefined
      const failure = ended === 'late' ? timedOut(toolId, timeoutMs / 1000) : cancelled(toolId)
      const { kind, message, retryable } = failure
      return { kind, message, retryable }
    },
    race: async begin => {
      controller.signal.throwIfAborted()
      const over = new Promise<never>((_, reject) => {
        controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
      })
      return await Promise.race([begin(), over])
    },
    stop: () => {
      clearTimeout(timer)
      cancel.removeEventListener('abort', onCancel)
    },
  }
}
