// A pattern of RE2 → its matches. The only file that loads the engine, and only if there is a pattern: some patterns of Go mean something
// else to JavaScript (`[[:alnum:]]`, `\pL`, `\z`) and would mask nothing. Its time grows at most with pattern and text.
import type { Range } from '../../model/document.ts'

/** Finds all matches in a text, from its beginning, without overlap. */
export type Finder = (text: string) => readonly Range[]

/** A finder for each pattern; undefined for an invalid one. */
export async function compileRe2(patterns: readonly string[]): Promise<readonly (Finder | undefined)[]> {
  const { RE2JS, RE2JSSyntaxException } = await import('re2js')
  return patterns.map(pattern => {
    try {
      const program = RE2JS.compile(pattern)
      return text => {
        const matcher = program.matcher(text)
        const found: Range[] = []
        while (matcher.find()) found.push({ start: matcher.start(), end: matcher.end() })
        return found
      }
    } catch (error) {
      if (error instanceof RE2JSSyntaxException) return undefined
      throw error
    }
  })
}
