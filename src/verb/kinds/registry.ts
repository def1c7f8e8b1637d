// How a verb reaches registries and layout folders.
import { accessFrom } from '../../io/setting.ts'
import type { RegistryAccess } from '../../model/carried.ts'
import type { World } from '../world.ts'

/** How this call reaches registries. @param home the folder whose config.toml counts beside the system's; without it the user's own, false for none */
export function accessBy(world: World, home?: string | false): RegistryAccess {
  return { ...accessFrom(world), logins: world.registries?.logins ?? new Map(), home }
}
