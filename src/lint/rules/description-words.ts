// Reads the descriptions of tools and arguments: whether a call changes something, which values and arguments they explain, and whether one
// was never written. Advice for authors relies on this; no verdict does.
import type { JsonSchema, Tool } from '../../model/tools.ts'

/**
 * What deletes or overwrites, goes out to others, costs money, or runs code. What only adds something, changes a document that is open, or works
 * an interface as a person would, is not among these words.
 */
const CHANGING = new Set(
  'approve archive ban book buy cancel command deactivate delete deploy destroy disable drop erase exec execute grant install invite kill merge order overwrite patch pay post publish purchase purge push put reboot release remove reply revoke rewrite run sell send share shell shutdown sign terminate trade transaction transfer truncate unassign uninstall unpublish unsubscribe update upgrade upload upsert wipe withdraw write'.split(
    ' ',
  ),
)
const READING = new Set(
  'analyze browse calculate check compare compute count describe diff display draw estimate explain fetch find generate get inspect is list look lookup monitor ping plot preview query read render resolve retrieve return scan search select show summarize translate validate verify view watch'.split(
    ' ',
  ),
)

/** "Ask for confirmation first": words for a model, which no runtime enforces. */
export function asksInWords({ description }: Pick<Tool, 'description'>): boolean {
  return /\b(?:ask|need|require|want|wait|only|without|unless|must|user)[a-z]*\b[^.\n]{0,60}\bconfirm/i.test(
    description,
  )
}

/** The first words of a long id or description are enough. */
const MOST_CHANGING_TEXT = 200

/** What the id says if its first word reads and none changes something, else the first word of the description, else the words of the id. */
export function saidOf({
  id,
  description,
}: Pick<Tool, 'id' | 'description'>): 'changes' | 'reads' | undefined {
  if (/\bread-?only\b/i.test(description)) return 'reads'
  const named = namedWords(id)
  if (named[0] !== undefined && meaningOf(named[0]) === 'reads' && !named.some(isChanging)) return 'reads'
  const words = [namedWords(description)[0] ?? '', ...named]
  // "Execute a query" says less than the words beside it do.
  const telling = words.filter(word => !/^(?:execut|run|perform)/.test(word))
  return [...telling, ...words].map(meaningOf).find(meaning => meaning !== undefined)
}

function meaningOf(word: string): 'changes' | 'reads' | undefined {
  const forms = [word, word.replace(/s$/, ''), word.replace(/es$/, '')]
  if (forms.some(form => READING.has(form))) return 'reads'
  return forms.some(form => CHANGING.has(form)) ? 'changes' : undefined
}

function isChanging(word: string): boolean {
  return meaningOf(word) === 'changes'
}

/** Also those of `sendMail`, `send_mail` and `mail.send`. */
function namedWords(text: string): string[] {
  const parts = text.slice(0, MOST_CHANGING_TEXT).replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  return parts.toLowerCase().match(/[a-z]+/g) ?? []
}

/** Lists of values come early in a description, and the expressions below try every position. */
const MOST_LISTING_TEXT = 500
const MOST_VALUES = 20

const QUOTED_VALUE = /"[^"\n]{1,40}"|'[^'\n]{1,40}'|`[^`\n]{1,40}`/.source
const BARE = '[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}'
/** A slash between plain words is a part of a name, such as owner/repo, or says "and". */
const BETWEEN = '(?:, ?(?:or |and )?| or | and | ?\\| ?)'
const listOf = (item: string, between = BETWEEN) => `(?:${item})(?:${between}(?:${item})){1,${MOST_VALUES}}`
const QUOTED_VALUES = listOf(QUOTED_VALUE, `(?:${BETWEEN}| ?/ ?)`)

/** After words that announce a closed list, any items count; with quotes, fewer words are enough. */
const ANNOUNCED = new RegExp(
  `(?<!\\bleast |\\bdefault |\\bdefault: )\\b(?:one of|(?:allowed|valid|possible|supported|accepted) values(?: are)?|options(?: are)?|values)(?: the following)?:? ?[([]?(${QUOTED_VALUES}|${listOf(`${QUOTED_VALUE}|${BARE}`)})[)\\]]?(?:[.;)\\n]|$)`,
  'i',
)
const QUOTED_LIST = new RegExp(
  `(?<!\\bdefault |\\bdefaults )\\b(?:either|must be|can be|is|may be)(?: one of)?:? ?[([]?(${QUOTED_VALUES})`,
  'i',
)
const PIPED = new RegExp(`(?:^|[\\s(\`"'])(${BARE}(?: ?\\| ?${BARE}){1,${MOST_VALUES}})(?:$|[\\s)\`"'.,;])`)
/** Words that mark a list as incomplete. */
const OPEN_LIST =
  /\bor (?:an?|any|another|other|custom|full|your|the) |\be\.g\b|\bfor example\b|\bsuch as\b|\betc\b|\blike\b|\binclud(?:e|es|ing)\b|\bpreferred\b|\busually\b|\btypically\b|\u2026|\.\.\./i

/** Names of types: a list of them says what the value is made of. */
const TYPE_NAMES =
  /^(?:string|str|text|number|int|integer|float|double|bool|boolean|null|none|nil|undefined|object|dict|array|list|date|datetime|any|unknown|void)(?:\[\])?$/i

/** Each of the lists above has one of these. */
const LISTING = /["'`|]|one of|values|options/i

const NONE_LISTED: readonly string[] = []

/** The values of a closed list; empty if there is none. */
export function valuesIn(description: string): readonly string[] {
  const text = description.slice(0, MOST_LISTING_TEXT)
  if (!LISTING.test(text) || OPEN_LIST.test(text)) return NONE_LISTED
  const list = (ANNOUNCED.exec(text) ?? QUOTED_LIST.exec(text) ?? PIPED.exec(text))?.[1]
  if (list === undefined) return NONE_LISTED
  const items = list.match(new RegExp(`${QUOTED_VALUE}|${BARE}`, 'g')) ?? []
  const values = items.map(item => item.replace(/^["'`]|["'`]$/g, '').replace(/\.$/, ''))
  const listed = [...new Set(values.filter(value => value !== 'or' && value !== 'and'))]
  return listed.every(value => TYPE_NAMES.test(value)) ? [] : listed
}

/** The longest description that is looked through, and the longest of its lines. */
const MOST_EXPLAINING_TEXT = 20_000
const MOST_LINE = 200
const SCALARS: readonly unknown[] = ['string', 'number', 'integer', 'boolean']

/** `query: the words`, `- query (str): the words`, `query - the words`. */
const ARGUMENT_HEAD = /^[\s*+•-]*([^\s:()*+•-][^\s:()]*)(?: ?\([^()]*\))?(?: ?:| [-–—=] )/
/** As in a call: `fetch(id="a.1")`. */
const CALLED_ARGUMENT = /\b([A-Za-z_][A-Za-z0-9_]{0,99})=/g
const QUOTED_NAME = /(["'`])([^"'`\n]{1,100})\1/g

/**
 * Returns whether the description explains an argument: in a line of its own, as in the list under `Args:` that tools of Python have, in
 * quotes, or in an example of a call. A single value may be in any sentence: of `url`, "Navigates to a URL" says enough. The form of a list or an object does not
 * follow from its name.
 */
export function explainedBy(description: string): (name: string, property: JsonSchema) => boolean {
  const text = description.slice(0, MOST_EXPLAINING_TEXT)
  const heads = text.split('\n').map(line => ARGUMENT_HEAD.exec(line.slice(0, MOST_LINE))?.[1])
  const quoted = [...text.matchAll(QUOTED_NAME)].map(([, , name]) => name)
  const given = [...text.matchAll(CALLED_ARGUMENT)].map(([, name]) => name)
  const named = new Set([...heads, ...quoted, ...given])
  const said = new Set(singularWords(text))
  return (name, property) => {
    if (named.has(name)) return true
    if (typeof property === 'boolean' || !SCALARS.includes(property['type'])) return false
    const [first, ...others] = singularWords(name.slice(0, MOST_LINE))
    // "the schema of a table" says what a table_name is.
    return (
      first !== undefined && [first, ...others.filter(word => word !== 'name')].every(one => said.has(one))
    )
  }
}

/** Also those of `maxResults` and `max_results`, without a plural. */
function singularWords(text: string): string[] {
  const parts = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return (parts.match(/[a-z0-9]+/g) ?? []).map(word => (word.length > 2 ? word.replace(/s$/, '') : word))
}

/** What generators and authors write until they know better, without punctuation. */
const FILLERS: ReadonlySet<string> = new Set(
  'todo tbd fixme xxx na none null test description adescription descriptionhere yourdescriptionhere tooldescription placeholder loremipsum'.split(
    ' ',
  ),
)

/**
 * A text of punctuation alone says nothing either. A sentence that is about a TODO says something.
 * @param words by {@link wordsOf}
 */
export function isUnwritten(text: string, words = wordsOf(text)): boolean {
  return words === '' || FILLERS.has(words) || TO_DO.test(text)
}

const TO_DO = /^\W*(?:TODO|TBD|FIXME|XXX)(?::|\b\W*$|\s+(?:add|write|describe|fill)\b)/

/** Without capitals, punctuation and white space. */
export function wordsOf(text: string): string {
  return text.toLowerCase().replace(WRITTEN_BETWEEN, '')
}

const WRITTEN_BETWEEN = /[\p{P}\p{S}\s]+/gu
