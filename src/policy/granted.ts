// A text as it is written in policy.caps → what the runtime reads. It drops the white space around domains and hosts; folders, secrets and
// programs it compares as they are.
/** A port is read as it is: white space around it is refused. */
export function trimmedHost(written: string): string {
  const colon = written.indexOf(':')
  return colon === -1
    ? withoutSpace(written)
    : `${withoutSpace(written.slice(0, colon))}${written.slice(colon)}`
}

/**
 * `White_Space` of Unicode, spelled out: for a property, the engine builds tables at every start. `String.trim` also drops U+FEFF, and
 * keeps U+0085.
 */
const WHITE_SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/

export function withoutSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && WHITE_SPACE.test(text.charAt(start))) start++
  while (end > start && WHITE_SPACE.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}
