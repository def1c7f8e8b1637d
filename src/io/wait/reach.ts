// How a job reaches registries and layout folders. A command or a function of the library makes it once, and it is handed on whole.
import type { RegistryAccess } from '../../model/carried.ts'
import type { OnProgress } from '../../model/progress.ts'
import { accessFrom, type Setting } from '../setting.ts'

export interface Reach {
  readonly access: RegistryAccess
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal
  readonly onProgress?: OnProgress | undefined
}

export function reachOf(io: Pick<Setting, 'env' | 'registries' | 'signal' | 'onProgress'>): Reach {
  return { access: accessFrom(io), signal: io.signal, onProgress: io.onProgress }
}
