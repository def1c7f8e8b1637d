// The paths by which programs are granted.

/** Whether a text is an absolute path in plain form: capability strings are compared as text. A template could become any path, so there are no braces. */
export function isProgramPath(text: string): boolean {
  return ABSOLUTE.test(text) && !DOTS.test(text) && !BRACE.test(text)
}

const ABSOLUTE = /^(?:\/[^/\0]+)+$/
const DOTS = /\/\.\.?(?:\/|$)/
const BRACE = /[{}]/
