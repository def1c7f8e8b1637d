// A repository or a layout folder, and a range → the tag of the newest version in it. It is chosen by its name alone: whether its bundle is
// that version, and trusted, is judged afterwards, and no other one is tried then.

import type { Reach } from '../io/wait/reach.ts'
import { RlpError } from '../model/error.ts'
import { writePath } from '../text/shell-words.ts'
import type { Versions } from '../version/reference.ts'
import { parseVersion } from '../version/version.ts'
import { storedVersions } from './stored-versions.ts'

export interface StoredVersion {
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
