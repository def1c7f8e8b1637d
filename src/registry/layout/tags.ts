// The tags of a layout: annotations of the manifests in its index.

import type { Descriptor, OciIndex } from '../../model/oci.ts'
import { writeDescriptor } from '../../oci/document.ts'
import { REF_NAME, writeIndex } from '../../oci/index-document.ts'

/** A tag that leads to two manifests: two readers could get different bundles. */
export function tagTwice({ manifests }: OciIndex): string | undefined {
  const seen = new Set<string>()
  return manifests.flatMap(one => tagOf(one) ?? []).find(tag => seen.size === seen.add(tag).size)
}

export function tagOf({ annotations }: Descriptor): string | undefined {
  return annotations?.[REF_NAME]
}

/** The tag leads to one manifest; what it led to before stays without it, for those who pinned its digest. */
export function withTag(before: OciIndex | undefined, named: Descriptor): Uint8Array {
  const { manifests = [], written = [] } = before ?? {}
  const tag = tagOf(named)
  const kept = manifests.flatMap((one, at) => {
    if (tagOf(one) !== tag) return written[at] ?? []
    if (manifests.some(other => other !== one && other.digest === one.digest)) return []
    const { [REF_NAME]: _, ...annotations } = one.annotations ?? {}
    return { ...written[at], annotations }
  })
  // A manifest that was there without a tag is there once.
  const others = kept.filter((_, at) => !isUnnamed(kept[at], named.digest))
  return writeIndex([...others, writeDescriptor(named)], before)
}

function isUnnamed(written: object | undefined, digest: string): boolean {
  const { digest: other, annotations } = (written ?? {}) as Partial<Descriptor>
  return other === digest && annotations?.[REF_NAME] === undefined
}
