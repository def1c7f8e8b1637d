// How long one operation waits for registries on this host: `[registries] timeout` of config.toml, or the usual time.
import type { FetchTimes, RegistryAccess } from '../../model/carried.ts'
import type { OciReference } from '../../model/oci.ts'
import { operatorConfig } from '../config.ts'
import { runloopHome } from '../home.ts'

/**
 * @param usual instead of ten minutes where config.toml states no time
 * @throws RlpError USAGE for a config.toml that is malformed; NO_PERMISSION for one that others may write
 */
export async function operationTimes(
  { env, home = runloopHome(env), times }: RegistryAccess,
  usual: Partial<FetchTimes> = {},
): Promise<Partial<FetchTimes>> {
  const { registryTimeout } = await operatorConfig({ home })
  const stated = registryTimeout === undefined ? {} : { operationMs: registryTimeout.value * 1000 }
  return { ...usual, ...stated, ...times }
}

/** The same for an operation at these places. A layout folder is not waited for, so config.toml is not read for it alone. */
export async function timesAt(
  places: readonly OciReference['place'][],
  access: RegistryAccess,
  usual: Partial<FetchTimes> = {},
): Promise<Partial<FetchTimes>> {
  const isFar = places.some(place => place.in === 'registry')
  return isFar ? operationTimes(access, usual) : { ...usual, ...access.times }
}
