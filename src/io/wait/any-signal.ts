// A signal that follows others. Node takes eleven listeners of one signal for a leak and warns on standard error. Requests that run at the
// same time listen to one signal, so any number of listeners is normal here.
import { setMaxListeners } from 'node:events'

/** Returns a signal that aborts as soon as one of these does, with its reason. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const signal = AbortSignal.any([...signals])
  setMaxListeners(0, signal)
  return signal
}
