// A pattern of RE2 → where it occurs. The only file that loads the engine, and only when somebody has a pattern: what Go calls a pattern
// often means something else to JavaScript (`[[:alnum:]]`, `\pL`, `\z`), and what means something else masks nothing. It takes time that
// grows with pattern and text at most.
import type { Range } from '../../model/document.ts'

/** Finds all matches in a text, from its beginning, none within another. */
export type Finder = (text: string) => readonly Range[]

/** A finder for each pattern; undefined for what is no pattern of RE2. */
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
