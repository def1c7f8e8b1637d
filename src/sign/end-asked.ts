// When signatures are to end: what a caller asks for, and when the end that is there is close enough to it.

import { type Agent, SIGNATURE_FILE } from '../model/agent.ts'
import { UsageError } from '../model/error.ts'
import { endIn, type StatedEnd } from '../signature/stated-end.ts'

export interface SignOptions {
  /** A UTC second after which the signature ends. It has to be the end of the signatures that are there, if there are any. */
  readonly notAfter?: string | undefined
  /**
   * A UTC second. Starts a new statement that ends then, and drops the signatures on the old one. If the bundle is signed with
   * an end that is at most a day earlier and at most ten minutes later, the signature is added to that statement instead.
   */
  readonly renew?: string | undefined
}

/** How a command line names the end of a signature. */
export interface EndAsked extends SignOptions {
  /** `notAfter` was counted from now, so the end that is there may differ from it as for `renew`. */
  readonly isCounted?: boolean | undefined
}

const DAY_MS = 86_400_000
const TEN_MINUTES_MS = 600_000

/** @param spelt how the caller writes an option. @throws UsageError */
export function refuseBothEnds({ notAfter, renew }: SignOptions, spelt: (option: string) => string): void {
  if (notAfter === undefined || renew === undefined) return
  throw new UsageError(`Cannot use ${spelt('notAfter')} with ${spelt('renew')}: each names an end`, {
    field: 'renew',
    hint: `Leave ${spelt('notAfter')} out: ${spelt('renew')} is the new end`,
  })
}

/** The end of the signatures that are in a bundle; undefined if it is unsigned. */
export function statedEnd({ files }: Pick<Agent, 'files'>): StatedEnd | undefined {
  return endIn(files.get(SIGNATURE_FILE)?.bytes)
}

/**
 * The end that is there, if it is close enough to the one that was asked for. People who renew one after the other then sign one statement,
 * although each of their ends is counted from another second.
 */
export function nearEnd(agent: Agent, asked: string): string | undefined {
  const there = statedEnd(agent)?.notAfter
  if (there === undefined) return undefined
  const later = Date.parse(there) - Date.parse(asked)
  return later >= -DAY_MS && later <= TEN_MINUTES_MS ? there : undefined
}
