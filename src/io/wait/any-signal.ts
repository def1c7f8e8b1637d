// Joins signals that end a wait, and leaves no listener behind. Node warns of a leak at eleven listeners of one signal; requests that run at the same time
// listen to one that is joined here.
import { setMaxListeners } from 'node:events'

/** Returns a signal that aborts as soon as one of these does, with its reason. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const signal = AbortSignal.any([...signals])
  setMaxListeners(0, signal)
  return signal
}
