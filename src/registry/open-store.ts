// A reference → the place where the bundle is kept. A server is spoken to only by what is loaded for it.
import { namedPath } from '../io/home.ts'
import { nearReference } from '../io/layout-folder.ts'
import type { TimedReach } from '../io/wait/reach.ts'
import { RlpError } from '../model/error.ts'
import type { OciReference } from '../model/oci.ts'
import { placeText } from '../oci/reference.ts'
import { placeToRead } from './mirror.ts'
import type { Store, StoreUse } from './store.ts'

/**
 * Nothing is sent or read yet. What is only read is read from its mirror; what is written goes to the place itself.
 * @throws RlpError as {@link placeToRead}
 */
export async function openStore(
  { place: written }: OciReference,
  reach: TimedReach,
  use: StoreUse,
): Promise<Store> {
  const { access, deadline } = reach
  const place = use.writes ? written : await placeToRead(written, access)
  const own = nearReference(placeText(written))
  const label = place === written ? own : `${own} (mirror: ${nearReference(placeText(place))})`
  if (deadline.signal.aborted) throw new RlpError('CANCELLED', `Cancelled: cannot open "${label}"`)
  if (place.in === 'layout') {
    const { LayoutStore } = await import('./layout/layout.ts')
    return new LayoutStore(namedPath(place.folder, process.cwd()), label, deadline)
  }
  const { RegistryStore } = await import('./http/registry.ts')
  return RegistryStore.open(place, label, reach, use)
}
