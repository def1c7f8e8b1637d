// The name of <bundle>.intoto.jsonl. A search for bundles needs it, and reads no signature.

/** What a bundle's file of attestations is called. */
export function besideBundle(path: string): string {
  let end = path.length
  while (end > 0 && '/\\'.includes(path.charAt(end - 1))) end--
  return `${path.slice(0, end)}.intoto.jsonl`
}
