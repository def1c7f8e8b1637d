// Whether the description of a tool explains an argument, which a model reads as well as the argument's own.
import type { JsonSchema } from '../../model/tools.ts'

/** The longest description that is looked through. */
const MOST_TEXT = 20_000
const SCALARS: readonly unknown[] = ['string', 'number', 'integer', 'boolean']
const QUOTES = ['`', '"', "'"]

/**
 * Whether it has a line of its own there, as in the list under `Args:` that tools of Python have, or is there in quotes. A single value
 * may be in any sentence: of `url`, "Navigates to a URL" says enough. The form of a list or an object does not follow from its name.
 */
export function isExplained(name: string, property: JsonSchema, description: string): boolean {
  const text = description.slice(0, MOST_TEXT)
  if (QUOTES.some(quote => text.includes(`${quote}${name}${quote}`))) return true
  if (text.split('\n').some(line => isAbout(line, name))) return true
  if (typeof property === 'boolean' || !SCALARS.includes(property['type'])) return false
  const said = new Set(wordsIn(text))
  const words = wordsIn(name)
  return words.length > 0 && words.every(word => said.has(word))
}

/** `query: the words`, `- query (str): the words`, `query - the words`. */
function isAbout(line: string, name: string): boolean {
  const words = line.replace(/^[\s*+\-•]+/, '')
  return words.startsWith(name) && /^(?: ?\([^()]*\))?(?: ?:| [-–—=] )/.test(words.slice(name.length))
}

/** Also those of `maxResults` and `max_results`, without a plural. */
function wordsIn(text: string): string[] {
  const parts = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return (parts.match(/[a-z0-9]+/g) ?? []).map(word => word.replace(/(?<=..)s$/, ''))
}
