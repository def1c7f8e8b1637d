// The registry of what may be around an archive on its way: one file and one line each. How each is opened is in io/wrappers/, so that nothing
// is loaded for a bundle that has none.
import type { WrapperName } from '../../model/bundle-form.ts'
import { GZIP } from './gzip.ts'
import type { Wrapper } from './wrapper.ts'

export const WRAPPERS: Readonly<Record<WrapperName, Wrapper>> = { gzip: GZIP }

const ALL = Object.entries(WRAPPERS) as readonly (readonly [WrapperName, Wrapper])[]

/** So many bytes tell whether there is one. */
export const HEAD_BYTES = Math.max(...ALL.map(([, { begins }]) => begins.length))

/** Which wrapper bytes begin with, if any. */
export function wrapperAt(head: Uint8Array): WrapperName | undefined {
  return ALL.find(([, { begins }]) => begins.every((byte, at) => head[at] === byte))?.[0]
}

/** A file's name without the ending of a wrapper. */
export function unwrappedName(name: string): string {
  const ending = ALL.map(([, { ending }]) => ending).find(one => name.endsWith(one))
  return ending === undefined ? name : name.slice(0, -ending.length)
}

/** Characters that a wrapper may add to a name. */
export const LONGEST_ENDING = Math.max(...ALL.map(([, { ending }]) => ending.length))
