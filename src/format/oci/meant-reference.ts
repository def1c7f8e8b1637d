// A text that names a place in a registry as other clients write it → the reference that may be meant.
import { unwrappedName } from '../wrappers/index.ts'
import { ociReferenceText, readOciReference } from './reference.ts'
import { SCHEME } from './scheme.ts'

/** `docker://` is how skopeo writes it; docker, podman and oras write nothing before the host. */
const OTHERS = /^(?:docker|oras):\/\//i

/** Undefined for what may as well be a path: the first part of it has to look like a host. */
export function meantReference(text: string): string | undefined {
  if (SCHEME.test(text) || unwrappedName(text).endsWith('.agent.bundle')) return undefined
  const isNamed = OTHERS.test(text)
  const rest = text.replace(OTHERS, '')
  const isHost = isNamed || /^(?:localhost|[^/]*[.:][^/]*)\//.test(rest)
  const read = isHost ? readOciReference(`oci://${rest}`) : undefined
  return read !== undefined && 'value' in read ? ociReferenceText(read.value) : undefined
}

/** @param otherwise where no place in a registry can be meant */
export function meantHint(text: string, otherwise: string): string {
  const meant = meantReference(text)
  return meant === undefined ? otherwise : `Did you mean ${meant}?`
}
