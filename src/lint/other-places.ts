// The other places of a finding in words, for formats that have one place for each finding.
import type { Finding } from '../model/finding.ts'

/** More lines do not help; the JSON has all. */
const MOST = 20

/** `Also in lines 12, 30 and 48`, without a full stop; undefined if the finding has no other place. */
export function otherPlacesText({ others = [] }: Finding): string | undefined {
  if (others.length === 0) return undefined
  const lines = others.slice(0, MOST).map(({ line }) => String(line))
  const more = others.length - lines.length
  const shown = more > 0 ? [...lines, `${more} more`] : lines
  const last = shown.pop()
  return shown.length === 0 ? `Also in line ${last}` : `Also in lines ${shown.join(', ')} and ${last}`
}
