// A repository or a layout folder → its tags: versions, the newest first, and the others.

import { absolute } from '../io/layout-folder.ts'
import { referenceIn } from '../io/reference.ts'
import { type Reach, timed } from '../io/wait/reach.ts'
import { UsageError } from '../model/error.ts'
import { versionOfTag } from '../oci/expectation.ts'
import { isReferrersTag } from '../oci/reference.ts'
import { isOlder } from '../version/version.ts'
import { openStore } from './open-store.ts'

export interface StoredVersions {
  readonly versions: readonly { readonly tag: string; readonly version: string }[]
  /** Tags that name no version. */
  readonly others: readonly string[]
  /** How many tags hold only what is attached to a bundle: signatures and statements. */
  readonly attached: number
}

/** The answer of {@link versionsAt}. */
export interface ListedVersions extends StoredVersions {
  /** The repository or folder, as the caller called it. */
  readonly stored: string
}

/** @throws RlpError as {@link storedVersions} */
export async function versionsAt(from: string, cwd: string, reach: Reach): Promise<ListedVersions> {
  return { stored: from, ...(await storedVersions(absolute(from, cwd), reach)) }
}

/** @throws RlpError USAGE, NOT_STORED for a repository that is not there; as a store says */
export async function storedVersions(text: string, reach: Reach): Promise<StoredVersions> {
  const reference = referenceIn(text, 'list')
  if (reference.tag !== undefined || reference.digest !== undefined)
    throw new UsageError(`Cannot list "${text}": it names one bundle`, {
      hint: 'Leave out the tag. rlp agent inspect shows one bundle',
    })
  const store = await openStore(reference, await timed(reach, reference), { writes: false })
  try {
    const all = [...(await store.tags())]
    const tags = all.filter(tag => !isReferrersTag(tag))
    const versions = tags.flatMap(tag => {
      const version = versionOfTag(tag)
      return version === undefined ? [] : [{ tag, version }]
    })
    versions.sort((a, b) =>
      isOlder(a.version, b.version) ? 1 : isOlder(b.version, a.version) ? -1 : a.tag < b.tag ? -1 : 1,
    )
    const others = tags.filter(tag => versionOfTag(tag) === undefined).sort()
    return { versions, others, attached: all.length - tags.length }
  } finally {
    await store.close()
  }
}
