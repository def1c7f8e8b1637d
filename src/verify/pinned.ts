// A reference and a lock → the reference with the digest that the lock pins: a tag can be moved, a digest cannot.
import { impliedBy } from '../format/oci/expectation.ts'
import { ociReferenceText, placeText, readOciReference } from '../format/oci/reference.ts'
import { referenceText } from '../format/version/reference.ts'
import { absolute } from '../io/layout-folder.ts'
import type { LockedAgent, LockSource } from '../model/lock.ts'

/** The reference itself if it names a digest, or if the lock pins none for it: then its bundle is compared with the lock all the same. */
export function pinnedReference(reference: string, { lock, folder }: LockSource): string {
  const read = readOciReference(reference)
  if ('problem' in read || read.value.digest !== undefined || lock === undefined) return reference
  const { value } = read
  const here = [...lock.agents.values()].flatMap(agent => {
    const source = readOciReference(absolute(agent.source, folder))
    return 'value' in source && placeText(source.value.place) === placeText(value.place)
      ? { agent, tag: source.value.tag }
      : []
  })
  const implied = impliedBy(value)
  const named =
    implied?.name === undefined
      ? undefined
      : lock.agents.get(referenceText({ ...implied, name: implied.name }))
  const byTag = here.find(({ tag }) => tag === value.tag)
  const found: LockedAgent | undefined =
    named ?? byTag?.agent ?? (here.length === 1 ? here[0]?.agent : undefined)
  return found?.oci === undefined ? reference : ociReferenceText({ ...value, digest: found.oci })
}
