// Where to push, and a bundle → the repository and the tag that readers will find it under, and accept it from.

import type { Target } from '../io/find/search-folders.ts'
import { nearReference } from '../io/layout-folder.ts'
import { referenceIn } from '../io/reference.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { OciReference } from '../model/oci.ts'
import {
  hostPortOf,
  impliedBy,
  ociReferenceText,
  placeText,
  repositoryPart,
  repositoryProblem,
  tagOfVersion,
} from '../oci/reference.ts'
import { isOciReference } from '../oci/scheme.ts'
import { meets } from '../version/reference.ts'

export interface PushTarget {
  readonly reference: OciReference
  /** Whether each agent gets a repository, or a folder, of its own below it. */
  readonly isMany: boolean
}

export interface NamedAgent {
  readonly name: string
  readonly version: string
  readonly variant?: string | undefined
}

/** What is done, for messages. */
export type Sending = 'push' | 'copy'

/** @param bundles how many are sent. @throws RlpError USAGE */
export function pushTarget(text: string, bundles: number, doing: Sending = 'push'): PushTarget {
  const isMany = text.endsWith('/')
  // What comes behind the slash is known for each bundle; any name shows whether the rest is right.
  const reference = referenceIn(isMany ? `${text}a` : text, `${doing} to`)
  if (reference.digest !== undefined)
    throw new UsageError(`Cannot ${doing} to "${nearReference(text)}": the digest follows from the bundle`, {
      hint: `Name ${nearReference(ociReferenceText({ ...reference, digest: undefined }))}`,
    })
  if (reference.tag !== undefined && bundles > 1)
    throw new UsageError(
      `Cannot ${doing} ${bundles} bundles to "${nearReference(text)}": one tag names one bundle`,
      {
        hint: `Leave the tag out: it is the version of each. ${nearReference(placeText(reference.place))}/ takes several agents`,
      },
    )
  if (!isMany) return { reference, isMany }
  const { place } = reference
  const cut = (name: string) => name.slice(0, -1)
  return {
    reference: {
      ...reference,
      place:
        place.in === 'layout'
          ? { ...place, folder: cut(place.folder) }
          : { ...place, repository: cut(place.repository) },
    },
    isMany,
  }
}

/** A bundle that is pushed comes from the disk. @throws UsageError */
export function refuseStored({ path, label }: Target): void {
  if (!isOciReference(path)) return
  throw new UsageError(`Cannot push "${label}": it is stored already`, {
    hint: 'rlp agent copy takes it from there to another registry or folder',
  })
}

/**
 * @param label of the bundle
 * @param how `tag`: where the target has none, in place of the version
 * @throws RlpError USAGE for what the grammar of registries, or every reader, would refuse
 */
export function referenceFor(
  { reference, isMany }: PushTarget,
  agent: NamedAgent,
  label: string,
  how: { readonly doing: Sending; readonly tag?: string | undefined } = { doing: 'push' },
): OciReference & { readonly tag: string } {
  const { doing } = how
  const place = isMany ? below(reference.place, repositoryPart(agent), { label, doing }) : reference.place
  const tag = reference.tag ?? how.tag ?? tagOfVersion(agent.version)
  if (tag === undefined)
    throw new RlpError('USAGE', `Cannot ${doing} "${label}": no tag holds the version ${agent.version}`, {
      hint: 'A tag has at most 128 characters. Give it one with :TAG',
    })
  const named = { place, tag, digest: undefined }
  const implied = impliedBy(named)
  if (implied === undefined || meets(agent, implied)) return named
  const is = `${repositoryPart(agent)} ${agent.version}`
  throw new UsageError(
    `Cannot ${doing} "${label}" to "${nearReference(ociReferenceText(named))}": it is ${is}, and readers would expect another`,
    {
      hint: `Name a repository that ends in ${repositoryPart(agent)}, without a tag: the version becomes the tag`,
    },
  )
}

function below(
  place: OciReference['place'],
  part: string,
  { label, doing }: { readonly label: string; readonly doing: Sending },
): OciReference['place'] {
  if (place.in === 'layout') return { ...place, folder: `${place.folder}${part}` }
  const repository = `${place.repository}${part}`
  const problem = repositoryProblem(repository, hostPortOf(place))
  if (problem === undefined) return { ...place, repository }
  throw new UsageError(`Cannot ${doing} "${label}" to "${repository}": ${problem}`, {
    hint: 'Name a repository that the grammar allows; readers then have to say which agent they expect',
  })
}

/** A tag that names other content. */
export function tagTaken(
  reference: OciReference,
  digest: string,
  label: string,
  doing: Sending = 'push',
): RlpError {
  const named = nearReference(ociReferenceText(reference))
  return new RlpError('EXISTS', `Cannot ${doing} "${label}": ${named} names other content (${digest})`, {
    hint: 'Give the bundle a new version. If another agent has the tag, end the target in /: then each agent has a place of its own. If the tag is meant to move, `force` moves it',
  })
}
