// A line as people type it in a shell ↔ the arguments it means. Nothing is expanded: what only a shell could do is a problem.
import type { Reading } from '../model/reading.ts'

const SPACE = /[ \t]/
/** Characters that mean something else to a shell; taking them as text would surprise. */
const SHELL_ONLY = '|&;<>()$`'

/**
 * White space separates, single quotes keep everything, double quotes know `\"` and `\\`, a backslash keeps the next character. An
 * accepted line without `*`, `?`, `[` and `~` means the same in a shell.
 */
export function readWords(line: string): Reading<string[]> {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    if (SPACE.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    word ??= ''
    if (char === "'") {
      const end = line.indexOf("'", at + 1)
      if (end === -1) return { problem: 'a single quote is not closed' }
      word += line.slice(at + 1, end)
      at = end
    } else if (char === '"') {
      const quoted = readQuoted(line, at + 1)
      if ('problem' in quoted) return quoted
      word += quoted.value.text
      at = quoted.value.end
    } else if (char === '\\') {
      at++
      if (at === line.length) return { problem: 'a backslash at the end has no character to keep' }
      word += line.charAt(at)
    } else if (SHELL_ONLY.includes(char)) {
      return {
        problem: `${char} has no meaning here, because no shell reads this line; put it in single quotes to pass it on`,
      }
    } else {
      word += char
    }
  }
  if (word !== undefined) words.push(word)
  return { value: words }
}

/** `start` is behind the opening quote, `end` at the closing one. */
function readQuoted(line: string, start: number): Reading<{ text: string; end: number }> {
  let text = ''
  for (let at = start; at < line.length; at++) {
    const char = line.charAt(at)
    if (char === '"') return { value: { text, end: at } }
    if (char === '$' || char === '`')
      return { problem: `${char} is not replaced by anything; put it in single quotes to pass it on` }
    const next = line.charAt(at + 1)
    if (char === '\\' && next !== '' && '"\\$`'.includes(next)) {
      text += next
      at++
    } else text += char
  }
  return { problem: 'a double quote is not closed' }
}

/** The line that {@link readWords} reads back as these words. */
export function writeWords(words: readonly string[]): string {
  return words
    .map(word => (/^[A-Za-z0-9_./:=@%+,{}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}

/**
 * A path, or a reference, in a command that people paste. `~/` in quotes would be a folder of that name, so it stays outside of them; and no
 * path begins as an option does.
 */
export function writePath(path: string): string {
  if (path === '~' || path === '~/') return path
  const [start, rest] = path.startsWith('~/')
    ? ['~/', path.slice(2)]
    : ['', path.startsWith('-') ? `./${path}` : path]
  return start + (/^[A-Za-z0-9_./:@%+,-]+$/.test(rest) ? rest : `'${rest.replaceAll("'", `'\\''`)}'`)
}
