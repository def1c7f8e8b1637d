// A reference and locks → the reference with the digest that they pin: a tag can be moved, a digest cannot.

import { absolute } from '../io/layout-folder.ts'
import type { LockedAgent, LockSource } from '../model/lock.ts'
import { impliedBy, ociReferenceText, placeText, readOciReference } from '../oci/reference.ts'
import { referenceText } from '../version/reference.ts'

/** The reference itself if it names a digest, or if no lock pins one for it: then its bundle is compared with the locks all the same. */
export function pinnedReference(reference: string, locks: readonly LockSource[]): string {
  if (locks.length === 0) return reference
  const read = readOciReference(reference)
  if ('problem' in read || read.value.digest !== undefined) return reference
  const { value } = read
  const entries = locks.flatMap(({ lock, folder }) =>
    [...(lock?.agents ?? [])].map(entry => ({ entry, folder })),
  )
  const here = entries.flatMap(({ entry: [, agent], folder }) => {
    const source = readOciReference(absolute(agent.source, folder))
    return 'value' in source && placeText(source.value.place) === placeText(value.place)
      ? { agent, tag: source.value.tag }
      : []
  })
  const implied = impliedBy(value)
  const name = implied?.name === undefined ? undefined : referenceText({ ...implied, name: implied.name })
  const named = entries.find(({ entry: [agent] }) => agent === name)?.entry[1]
  const byTag = here.find(({ tag }) => tag === value.tag)
  const isOnlyOne = new Set(here.map(({ agent }) => agent.oci)).size === 1
  const found: LockedAgent | undefined = named ?? byTag?.agent ?? (isOnlyOne ? here[0]?.agent : undefined)
  return found?.oci === undefined ? reference : ociReferenceText({ ...value, digest: found.oci })
}
