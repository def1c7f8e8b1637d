// Which arguments the description of a tool explains: a model reads it as well as the descriptions of the arguments.
import type { JsonSchema } from '../../model/tools.ts'

/** The longest description that is looked through, and the longest of its lines. */
const MOST_TEXT = 20_000
const MOST_LINE = 200
const SCALARS: readonly unknown[] = ['string', 'number', 'integer', 'boolean']

/** `query: the words`, `- query (str): the words`, `query - the words`. */
const HEAD = /^[\s*+•-]*([^\s:()*+•-][^\s:()]*)(?: ?\([^()]*\))?(?: ?:| [-–—=] )/
/** As in a call: `fetch(id="a.1")`. */
const GIVEN = /\b([A-Za-z_][A-Za-z0-9_]{0,99})=/g
const QUOTED = /(["'`])([^"'`\n]{1,100})\1/g

/**
 * Returns whether the description explains an argument: in a line of its own, as in the list under `Args:` that tools of Python have, in
 * quotes, or in an example of a call. A single value may be in any sentence: of `url`, "Navigates to a URL" says enough. The form of a list or an object does not
 * follow from its name.
 */
export function explainedBy(description: string): (name: string, property: JsonSchema) => boolean {
  const text = description.slice(0, MOST_TEXT)
  const heads = text.split('\n').map(line => HEAD.exec(line.slice(0, MOST_LINE))?.[1])
  const quoted = [...text.matchAll(QUOTED)].map(([, , name]) => name)
  const given = [...text.matchAll(GIVEN)].map(([, name]) => name)
  const named = new Set([...heads, ...quoted, ...given])
  const said = new Set(wordsIn(text))
  return (name, property) => {
    if (named.has(name)) return true
    if (typeof property === 'boolean' || !SCALARS.includes(property['type'])) return false
    const [first, ...others] = wordsIn(name.slice(0, MOST_LINE))
    // "the schema of a table" says what a table_name is.
    return (
      first !== undefined && [first, ...others.filter(word => word !== 'name')].every(one => said.has(one))
    )
  }
}

/** Also those of `maxResults` and `max_results`, without a plural. */
function wordsIn(text: string): string[] {
  const parts = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return (parts.match(/[a-z0-9]+/g) ?? []).map(word => (word.length > 2 ? word.replace(/s$/, '') : word))
}
