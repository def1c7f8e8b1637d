// Looks up what the tags of a repository name: no list of tags says it, and no header is believed.
import type { ManifestPlace } from './referrers.ts'

/** How many tags are looked up at the same time. */
const AT_ONCE = 8
/** A list of what is attached, which names no manifest itself. */
const FALLBACK_TAG = /^sha256-[0-9a-f]{64}$/

/** @returns one of the tags of each digest */
export async function taggedIn(
  tags: readonly string[],
  place: Pick<ManifestPlace, 'manifest'>,
): Promise<ReadonlyMap<string, string>> {
  const waiting = tags.filter(tag => !FALLBACK_TAG.test(tag))
  const tagged = new Map<string, string>()
  const worker = async () => {
    for (let tag = waiting.pop(); tag !== undefined; tag = waiting.pop()) {
      const found = await place.manifest(tag)
      if (found !== undefined) tagged.set(found.digest, tag)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return tagged
}
