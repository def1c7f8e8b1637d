// A bundle that loadBundle has given, for the functions that call its tools or run it.
import { type Input, needed } from '../verb/index.ts'
import type { LoadedBundle, LoadedFrom } from '../verify/load.ts'
import { originOf } from './open-agent.ts'

export interface LoadedHere extends LoadedFrom {
  readonly loaded: LoadedBundle
}

/** @param doing for messages: `call a tool` */
export function loadedBundle(doing: string) {
  const input: Input<LoadedBundle, LoadedHere> = {
    type: 'LoadedBundle',
    isLive: true,
    fromGiven: loaded => ({ loaded, ...originOf(loaded, doing) }),
  }
  return needed(input)
}
