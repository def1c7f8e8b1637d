// BLAKE3 in hex → how everything shows it. The identity of a bundle is `bundleIdentity`.

/** Enough of a digest to tell one file of a bundle from another, and few enough to read. */
const START_DIGITS = 12

export function digestText(hex: string): string {
  return `blake3:${hex}`
}

/** `blake3:` and 64 hex digits in lower case → the digits; undefined for anything else. */
export function readDigestText(text: string): string | undefined {
  return /^blake3:([0-9a-f]{64})$/.exec(text)?.[1]
}

/** For people, beside what says which file or bundle it is. */
export function digestStart(hex: string): string {
  return `${digestText(hex.slice(0, START_DIGITS))}…`
}
