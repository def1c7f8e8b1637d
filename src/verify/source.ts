// What every bundle that is judged is opened with, and what opening it gives.

import type { ReadBundleOptions } from '../io/bundle/read-bundle.ts'
import type { Candidate } from '../model/bundle.ts'
import type { RegistryAccess } from '../model/carried.ts'
import type { Expectation } from '../version/reference.ts'

export interface ReadSourceOptions extends Omit<ReadBundleOptions, 'keep'> {
  readonly expect?: string | undefined
  /** Whether a reference that names no agent needs `expect`: for what uses a bundle, and not only looks at it. */
  readonly mustExpect?: boolean | undefined
  readonly access?: RegistryAccess | undefined
}

export interface ReadSource {
  readonly candidate: Candidate
  readonly expect: Expectation | 'any'
}
