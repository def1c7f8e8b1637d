/**
 * Whether a text has nothing but white space, for any system: U+0085 is white space for those in Go, Rust and Swift, and U+FEFF for those
 * in JavaScript.
 */
export function isBlank(text: string): boolean {
  return /^[\s\u0085]*$/.test(text)
}
