// What a job knows of its process. The caller passes it in: a job reads neither the environment nor the current folder itself.
import type { RegistryAccess } from '../model/carried.ts'
import type { OnProgress } from '../model/progress.ts'

export interface Setting {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the current folder. */
  readonly cwd: string
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal
  /** How registries are reached, beside the environment. */
  readonly registries?: Omit<RegistryAccess, 'env'>
  /** Told how far a job has come that reads or writes much. */
  readonly onProgress?: OnProgress | undefined
  /** Standard input in chunks, opened by the first call. */
  stdin(): AsyncIterable<Uint8Array>
}

export function accessFrom({ env, registries }: Pick<Setting, 'env' | 'registries'>): RegistryAccess {
  return { env, ...registries }
}
