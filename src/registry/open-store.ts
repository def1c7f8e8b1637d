// Opens the place that a reference names, or the mirror of it in config.toml. The code for servers is loaded only for a server.
// Expectations, locks and records keep the place that was written.

import { join } from 'node:path'
import { operatorConfig } from '../io/config.ts'
import { namedPath, runloopHome } from '../io/home.ts'
import { nearReference } from '../io/layout-folder.ts'
import type { TimedReach } from '../io/wait/deadline.ts'
import type { RegistryAccess } from '../model/carried.ts'
import type { Mirror } from '../model/config.ts'
import { RlpError } from '../model/error.ts'
import type { LayoutPlace, OciReference, RegistryPlace, RegistryPrefix } from '../model/oci.ts'
import { hostPortOf, placeText, repositoryProblem } from '../oci/reference.ts'
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

type Place = OciReference['place']

/**
 * Once: what a mirror is called is not looked up again.
 * @throws RlpError USAGE for a config.toml that is malformed, or a mirror that cannot hold the repository; NO_PERMISSION for one that others may write
 */
async function placeToRead(place: Place, { env, home = runloopHome(env) }: RegistryAccess): Promise<Place> {
  if (place.in === 'layout') return place
  const { mirrors } = await operatorConfig({ home })
  return mirroredPlace(place, mirrors?.value ?? [])
}

/** @param lists the first that has a prefix of the place decides, by its longest one */
export function mirroredPlace(place: RegistryPlace, lists: readonly (readonly Mirror[])[]): Place {
  const parts = place.repository.split('/')
  const found = mirrorOf({ ...place, parts }, lists)
  return found === undefined ? place : replaced(place, parts, found)
}

/** Where the repositories below a prefix are listed. */
export interface ListedAt {
  readonly prefix: RegistryPrefix | LayoutPlace
  /** A mirror of some of these repositories, which are read elsewhere; undefined if they are all read where they are listed. */
  readonly inner: Mirror | undefined
}

/** @throws RlpError as {@link placeToRead} */
export async function placeToList(
  prefix: RegistryPrefix,
  { env, home = runloopHome(env) }: RegistryAccess,
): Promise<ListedAt> {
  const { mirrors } = await operatorConfig({ home })
  const lists = mirrors?.value ?? []
  const inner = lists.flat().find(one => isPrefix(prefix, one.prefix) && !isPrefix(one.prefix, prefix))
  const found = mirrorOf(prefix, lists)
  if (found === undefined) return { prefix, inner }
  const rest = prefix.parts.slice(found.prefix.parts.length)
  const { target } = found
  return {
    prefix: target.in === 'layout' ? target : { ...target, parts: [...target.parts, ...rest] },
    inner,
  }
}

function mirrorOf(place: RegistryPrefix, lists: readonly (readonly Mirror[])[]): Mirror | undefined {
  for (const list of lists) {
    const [found] = list
      .filter(({ prefix }) => isPrefix(prefix, place))
      .sort((one, other) => other.prefix.parts.length - one.prefix.parts.length)
    if (found !== undefined) return found
  }
  return undefined
}

function isPrefix(prefix: RegistryPrefix, place: RegistryPrefix): boolean {
  return (
    prefix.host === place.host &&
    prefix.port === place.port &&
    prefix.parts.every((part, index) => part === place.parts[index])
  )
}

function replaced(place: RegistryPlace, parts: readonly string[], { prefix, target, from }: Mirror): Place {
  const rest = parts.slice(prefix.parts.length)
  if (target.in === 'layout') return { in: 'layout', folder: join(target.folder, ...rest) }
  const { host, port } = target
  const repository = [...target.parts, ...rest].join('/')
  // Nothing is left where a mirror of one repository is a whole registry.
  const problem = repositoryProblem(repository, hostPortOf(target))
  if (problem === undefined) return { in: 'registry', host, port, repository }
  throw new RlpError(
    'USAGE',
    `Cannot read "${placeText(place)}": its mirror would be the repository "${repository}" at ${hostPortOf(target)}, and ${problem}`,
    { hint: `Correct [registries.mirrors] in ${from}` },
  )
}
