// A reference to a layout folder ↔ the same with an absolute path, so that it means one folder wherever it is read.
import { isOciReference } from '../oci/scheme.ts'
import type { Target } from './find/search-folders.ts'
import { namedPath, nearLabel } from './home.ts'

const SCHEME = 'oci-layout:'

/** Tag and digest hold no slash, so they stay at the end. Other references stay as they are. */
export function absolute(reference: string, cwd: string): string {
  if (!reference.startsWith(SCHEME)) return reference
  const rest = reference.slice(SCHEME.length)
  if (rest === '') return reference
  // A slash at the end says that a colon before it belongs to the folder's name.
  return `${SCHEME}${namedPath(rest, cwd)}${rest.endsWith('/') ? '/' : ''}`
}

/** The other way, for messages: a folder below the current one is named from there. */
export function nearReference(reference: string, cwd?: string): string {
  if (!reference.startsWith(`${SCHEME}/`)) return reference
  const rest = reference.slice(SCHEME.length)
  return `${SCHEME}${nearLabel(rest, cwd)}${rest.endsWith('/') ? '/' : ''}`
}

/** A path or a reference, as a person typed it. */
export function placeTyped(label: string, cwd: string): Target {
  return { path: isOciReference(label) ? absolute(label, cwd) : namedPath(label, cwd), label }
}
