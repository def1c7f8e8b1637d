// A reference → the digest that it leads to now, for those who pin it: what is fetched by the digest is the same for ever, or missing.
import { ociReferenceText, readOciReference } from '../format/oci/reference.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { find } from './open-carried.ts'
import { referenceIn } from './open-store.ts'

export interface ResolvedReference {
  /** The reference as the caller wrote it, with the digest. {@link openCarried} and every command take it. */
  readonly pinned: string
  /** `sha256:…` of the manifest: the digest in `pinned`. */
  readonly manifest: string
  /** `sha256:…` of the bundle, as the manifest states it. */
  readonly bundle: string
  /** In bytes, as the manifest states it. */
  readonly size: number
}

/**
 * Reads the manifest and nothing else: nothing of the bundle is judged.
 *
 * @param text a layout with an absolute folder
 * @param label as the caller called it
 * @throws RlpError USAGE, NOT_STORED, UNREACHABLE, NO_PERMISSION, STORE, CANCELLED
 */
export async function resolveReference(
  text: string,
  access: RegistryAccess,
  signal: AbortSignal,
  label: string = text,
): Promise<ResolvedReference> {
  const found = await find(referenceIn(text, 'read'), access, { writes: false, signal }, label)
  await found.store.close()
  const { manifest, layer } = found
  return {
    pinned: pinnedTo(label, manifest.digest),
    manifest: manifest.digest,
    bundle: layer.digest,
    size: layer.size,
  }
}

/** The reference with the digest. Its tag stays: it says which version the bundle has to have. */
export function pinnedTo(text: string, digest: string): string {
  const read = readOciReference(text)
  return 'value' in read ? ociReferenceText({ ...read.value, digest }) : `${text}@${digest}`
}
