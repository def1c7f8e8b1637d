// One entry of a list in policy.caps, as it is written → what the runtime reads. It drops the white space around domains and hosts, and
// domains without a name; folders, secrets and programs it compares as they are.
import type { PolicyKey } from './write.ts'

/** Undefined for an entry that grants nothing. */
export function grantedEntry(key: PolicyKey, written: string): string | undefined {
  if (key === 'kb_read' || key === 'kb_write') return trimmed(written) || undefined
  return key === 'net' ? trimmedHost(written) : written
}

/** A port is read as it is: white space around it is refused. */
function trimmedHost(written: string): string {
  const colon = written.indexOf(':')
  return colon === -1 ? trimmed(written) : `${trimmed(written.slice(0, colon))}${written.slice(colon)}`
}

/**
 * `White_Space` of Unicode, spelled out: for a property, the engine builds tables at every start. `String.trim` also drops U+FEFF, and
 * keeps U+0085.
 */
const WHITE_SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/

function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && WHITE_SPACE.test(text.charAt(start))) start++
  while (end > start && WHITE_SPACE.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}
