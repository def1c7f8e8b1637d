// A text that names a place in a registry as other clients write it → the reference that may be meant.
import { unwrappedName } from '../bundle/wrappers/index.ts'
import { ociReferenceText, readOciReference } from './reference.ts'
import { SCHEME } from './scheme.ts'

/** `docker://` is how skopeo writes it; docker, podman and oras write nothing before the host. */
const OTHERS = /^(?:docker|oras):\/\//i

/** Undefined for what may as well be a path: the first part of it has to look like a host. */
export function meantReference(text: string): string | undefined {
  if (SCHEME.test(text) || unwrappedName(text).endsWith('.agent.bundle')) return undefined
  const isNamed = OTHERS.test(text)
  const rest = text.replace(OTHERS, '')
  const host = rest.slice(0, Math.max(rest.indexOf('/'), 0))
  const isHost = host === 'localhost' || /[.:]/.test(host)
  const read = isNamed || isHost ? readOciReference(`oci://${rest}`) : undefined
  return read !== undefined && 'value' in read ? ociReferenceText(read.value) : undefined
}

/** Turns a reference that is refused for its tag into the one that may be meant. Returns undefined if the tag is not at fault. */
export function meantTag(text: string): string | undefined {
  const [digest = ''] = /@sha256:[0-9a-f]{64}$/.exec(text) ?? []
  const [, place = '', tag = ''] = /^(.*):([^/:@]*)$/s.exec(text.slice(0, text.length - digest.length)) ?? []
  const [, hex] = /^sha256-([0-9a-f]{64})/.exec(tag) ?? []
  const meant =
    hex === undefined ? `${place}:${tag.replace('+', '_')}${digest}` : `${place}${digest || `@sha256:${hex}`}`
  const read = readOciReference(meant)
  return meant !== text && 'value' in read ? ociReferenceText(read.value) : undefined
}

/** @param otherwise where no place in a registry can be meant */
export function meantHint(text: string, otherwise: string): string {
  const meant = meantReference(text)
  return meant === undefined ? otherwise : `Did you mean ${meant}?`
}
