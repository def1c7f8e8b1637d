// Text for standard output or error → the same, with no line that is a command to the runner of a pipeline.

/** `##[…]` (GitHub, Azure), `##vso[…]` and `##teamcity[…]`: commands anywhere on a line. */
const ANYWHERE = /##(?=(?:vso|teamcity)?\[)/gi
/** `::name …::` (GitHub): a command at the start of a line, after white space. Colour codes count as white space. */
const AT_START = /^((?:[^\S\n\r\u2028\u2029]|\u001b\[[0-9;]*m)*):(?=:)/gm

/**
 * Takes the whole text, not its pieces: wrapping moves a word to the start of a line, and two harmless pieces can make one command. The
 * first character of a command is written as `\u0023` or `\u003a`, which in JSON means the same.
 */
export function inert(text: string): string {
  if (!text.includes('##') && !text.includes('::')) return text
  return text.replace(ANYWHERE, '\\u0023#').replace(AT_START, '$1\\u003a')
}
