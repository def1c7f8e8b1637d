// Lists the tags of a repository or a layout folder: versions, the newest first, and others. The newest in a range is chosen by its name
// alone: if its bundle is another version, or not trusted, no other tag is tried.
import type { Target } from '../io/find/search-folders.ts'
import { referenceIn } from '../io/reference.ts'
import { timed } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { isReferrersTag, versionOfTag } from '../oci/reference.ts'
import { writePath } from '../text/shell-words.ts'
import type { Versions } from '../version/reference.ts'
import { isOlder, parseVersion } from '../version/version.ts'
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
export async function versionsAt({ path, label }: Target, reach: Reach): Promise<ListedVersions> {
  return { stored: label, ...(await storedVersions(path, reach)) }
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

interface StoredVersion {
  readonly tag: string
  readonly version: string
}

/**
 * @param text a reference without tag and digest
 * @param label as the caller called it
 * @throws RlpError NOT_STORED where no version fits, STORE for more than 10,000 tags; as a store says
 */
export async function newestStored(
  text: string,
  range: Versions,
  reach: Reach,
  label: string,
): Promise<StoredVersion> {
  const { versions } = await storedVersions(text, reach)
  const found = newestIn(versions, range)
  if (found !== undefined) return found
  const [newest] = versions
  const state =
    newest === undefined
      ? 'no tag is a version'
      : `no version is in ${range.text}; the newest is ${newest.version}`
  throw new RlpError('NOT_STORED', `Cannot read "${label}": ${state}`, {
    hint: `rlp agent list ${writePath(label)} shows the tags that are there`,
  })
}

/** @param versions the newest first. A pre-release is taken only if the range names one. */
export function newestIn(
  versions: readonly StoredVersion[],
  { text, accept }: Versions,
): StoredVersion | undefined {
  const takesPrereleases = /[0-9]-[0-9A-Za-z]/.test(text)
  return versions.find(({ version }) => accept(version) && (takesPrereleases || !isPrerelease(version)))
}

export function isPrerelease(version: string): boolean {
  return (parseVersion(version)?.before.length ?? 0) > 0
}
