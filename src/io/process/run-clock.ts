// Ends a run that does not end by itself: its time is over, it was silent for too long, or the caller cancelled it.
import { cancelled, timedOut } from '../../contract/envelope.ts'
import { ToolError } from '../../contract/tool-error.ts'
import type { RunRefusal } from '../../model/run.ts'

export interface RunClock {
  /** Aborts once, for any of these reasons. */
  readonly signal: AbortSignal
  /**
   * Undefined while the run may go on.
   * @param killed whether a running program was ended
   */
  verdict(toolId: string, killed?: boolean): RunRefusal | undefined
  /** Resets the idle time: the run has written something. */
  touch(): void
  /**
   * Waits for a promise that cannot be aborted, but not beyond the end. After the end nothing is begun.
   * @throws the signal's reason, and what the promise throws
   */
  race<T>(begin: () => Promise<T>): Promise<T>
  /** After the run: removes the timer, and the listener on the caller's signal. */
  stop(): void
}

type End = 'late' | 'idle' | 'cancelled'

/** The longest delay of Node's timers; a longer one fires at once. Milliseconds. */
const LONGEST = 2 ** 31 - 1

/** @param idleMs how long a run may be silent; unlimited by default */
export function startClock(timeoutMs: number, cancel: AbortSignal, idleMs?: number): RunClock {
  const controller = new AbortController()
  let ended: End | undefined
  const end = (why: End) => {
    ended ??= why
    controller.abort()
  }
  const onCancel = () => end('cancelled')
  const timer =
    timeoutMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(end, Math.min(timeoutMs, LONGEST), 'late')
  const idle = idleMs === undefined ? undefined : setTimeout(end, Math.min(idleMs, LONGEST), 'idle')
  if (cancel.aborted) onCancel()
  else cancel.addEventListener('abort', onCancel, { once: true })
  return {
    signal: controller.signal,
    verdict: (toolId, killed = false) => {
      if (ended === undefined) return undefined
      const { kind, message, retryable, killed_by } =
        ended === 'late'
          ? timedOut(toolId, timeoutMs / 1000)
          : ended === 'idle'
            ? new ToolError('sandbox.timeout').failure
            : cancelled(toolId, killed ? 'user' : undefined)
      return { kind, message, retryable, ...(killed_by !== undefined && { extra: { killed_by } }) }
    },
    touch: () => {
      if (ended === undefined) idle?.refresh()
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
      clearTimeout(idle)
      cancel.removeEventListener('abort', onCancel)
    },
  }
}
