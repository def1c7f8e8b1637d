// How a verb reaches registries and layout folders.
import { accessFrom } from '../../io/setting.ts'
import type { Reach } from '../../io/wait/reach.ts'
import type { RegistryAccess } from '../../model/carried.ts'
import type { World } from '../world.ts'

/** How this call reaches registries. @param home the folder whose config.toml counts beside the system's; without it the user's own, false for none */
export function accessBy(world: World, home?: string | false): RegistryAccess {
  const { logins = new Map(), seen = new Map() } = world.registries ?? {}
  return { ...accessFrom(world), logins, seen, home }
}

/** The same for a job, which says how far it is. */
export function reachBy(world: World, home?: string | false): Reach {
  const { signal, onProgress } = world
  return { access: accessBy(world, home), signal, onProgress }
}
