import { RlpError } from '../../model/error.ts'

/**
 * Ends work whose caller has aborted it.
 *
 * @param doing what the work does, for the message: `Cancelled while …`
 * @throws RlpError CANCELLED
 */
export function throwIfCancelled(signal: AbortSignal | undefined, doing: string): void {
  if (signal?.aborted) throw new RlpError('CANCELLED', `Cancelled while ${doing}`)
}
