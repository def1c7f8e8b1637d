// A written place → the place that is read: what config.toml of the system and of the user name as its mirror, or the place itself. The written
// one stays what expectations, locks, marks and records go by.
import { join } from 'node:path'
import { operatorConfig } from '../io/config.ts'
import { runloopHome } from '../io/home.ts'
import type { RegistryAccess } from '../model/carried.ts'
import type { Mirror } from '../model/config.ts'
import { RlpError } from '../model/error.ts'
import type { OciReference, RegistryPlace } from '../model/oci.ts'
import { hostPortOf, placeText, repositoryProblem } from '../oci/reference.ts'

type Place = OciReference['place']

/**
 * Once: what a mirror is called is not looked up again.
 * @throws RlpError USAGE for a config.toml that is malformed, or a mirror that cannot hold the repository; NO_PERMISSION for one that others may write
 */
export async function placeToRead(
  place: Place,
  { env, home = runloopHome(env) }: RegistryAccess,
): Promise<Place> {
  if (place.in === 'layout') return place
  const { mirrors } = await operatorConfig({ home })
  return mirroredPlace(place, mirrors?.value ?? [])
}

/** @param lists the first that has a prefix of the place decides, by its longest one */
export function mirroredPlace(place: RegistryPlace, lists: readonly (readonly Mirror[])[]): Place {
  const parts = place.repository.split('/')
  for (const list of lists) {
    const [found] = list
      .filter(({ prefix }) => isPrefix(prefix, place, parts))
      .sort((one, other) => other.prefix.parts.length - one.prefix.parts.length)
    if (found !== undefined) return replaced(place, parts, found)
  }
  return place
}

function isPrefix(prefix: Mirror['prefix'], place: RegistryPlace, parts: readonly string[]): boolean {
  return (
    prefix.host === place.host &&
    prefix.port === place.port &&
    prefix.parts.every((part, index) => part === parts[index])
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
