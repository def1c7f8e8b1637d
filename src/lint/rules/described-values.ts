// Finds the values that the description of an argument lists.

/** Lists of values come early in a description, and the expressions below try every position. */
const LONGEST = 500
const MOST_VALUES = 20

const QUOTED = /"[^"\n]{1,40}"|'[^'\n]{1,40}'|`[^`\n]{1,40}`/.source
const BARE = '[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}'
/** A slash between plain words is a part of a name, such as owner/repo, or says "and". */
const BETWEEN = '(?:, ?(?:or |and )?| or | and | ?\\| ?)'
const listOf = (item: string, between = BETWEEN) => `(?:${item})(?:${between}(?:${item})){1,${MOST_VALUES}}`
const QUOTED_VALUES = listOf(QUOTED, `(?:${BETWEEN}| ?/ ?)`)

/** After words that announce a closed list, any items count; with quotes, fewer words are enough. */
const ANNOUNCED = new RegExp(
  `(?<!\\bleast |\\bdefault |\\bdefault: )\\b(?:one of|(?:allowed|valid|possible|supported|accepted) values(?: are)?|options(?: are)?|values)(?: the following)?:? ?[([]?(${QUOTED_VALUES}|${listOf(`${QUOTED}|${BARE}`)})[)\\]]?(?:[.;)\\n]|$)`,
  'i',
)
const QUOTED_LIST = new RegExp(
  `(?<!\\bdefault |\\bdefaults )\\b(?:either|must be|can be|is|may be)(?: one of)?:? ?[([]?(${QUOTED_VALUES})`,
  'i',
)
const PIPED = new RegExp(`(?:^|[\\s(\`"'])(${BARE}(?: ?\\| ?${BARE}){1,${MOST_VALUES}})(?:$|[\\s)\`"'.,;])`)
/** Words that mark a list as incomplete. */
const OPEN =
  /\bor (?:an?|any|another|other|custom|full|your|the) |\be\.g\b|\bfor example\b|\bsuch as\b|\betc\b|\blike\b|\binclud(?:e|es|ing)\b|\bpreferred\b|\busually\b|\btypically\b|\u2026|\.\.\./i

/** Names of types: a list of them says what the value is made of. */
const TYPES =
  /^(?:string|str|text|number|int|integer|float|double|bool|boolean|null|none|nil|undefined|object|dict|array|list|date|datetime|any|unknown|void)(?:\[\])?$/i

/** The values of a closed list; empty if there is none. */
export function valuesIn(description: string): string[] {
  const text = description.slice(0, LONGEST)
  if (OPEN.test(text)) return []
  const list = (ANNOUNCED.exec(text) ?? QUOTED_LIST.exec(text) ?? PIPED.exec(text))?.[1]
  const items = list?.match(new RegExp(`${QUOTED}|${BARE}`, 'g')) ?? []
  const values = items.map(item => item.replace(/^["'`]|["'`]$/g, '').replace(/\.$/, ''))
  const listed = [...new Set(values.filter(value => value !== 'or' && value !== 'and'))]
  return listed.every(value => TYPES.test(value)) ? [] : listed
}
