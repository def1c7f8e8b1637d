import type { Agent } from '../../../model/agent.ts'
import { own } from '../../../model/own.ts'
import { isSilent } from '../../../schema/keywords.ts'
import type { SchemaObject } from '../../../schema/walk.ts'
import { plainName, probablyMeant } from '../../../text/did-you-mean.ts'
import { quoteText } from '../../../text/quote.ts'
import { misplacedOf } from '../misplaced-members.ts'
import { once } from '../once.ts'
import type { Rule } from '../rule.ts'
import { placeIn } from '../schemas.ts'

export const schemaUnknownKeyword: Rule = {
  id: 'schema/unknown-keyword',
  severity: 'warning',
  scope: 'source',
  summary: 'a keyword that is probably misspelt',
  why: 'JSON Schema passes over keywords it does not know: "requried" requires nothing, and no validator says so.',
  fix: 'Write the keyword that was meant; begin a key of your own with "x-".',
  looks: 'schema',
  check({ agent, schema }, report) {
    if (!schema.isSound) return
    for (const { pointer, schema: node } of schema.nodes) {
      if (typeof node === 'boolean') continue
      for (const key in node) {
        if (KNOWN.has(key) || isSilent(key) || !Object.hasOwn(node, key)) continue
        const keyword = synonym(node, key) ?? meant(agent, key)
        if (keyword === undefined || Object.hasOwn(node, keyword)) continue
        if (misplacedOf(schema)?.byMember.has(JSON.stringify([...pointer, key]))) continue
        report({
          ...placeIn(schema, [...pointer, key], 'key'),
          message: `${quoteText(key)} is no keyword of JSON Schema and says nothing`,
          fix: `Did you mean "${keyword}"? If not, begin its name with "x-"`,
        })
      }
    }
  },
}

/** What other systems call a keyword, in small letters without hyphens and their like. Of several keywords, the one for the type is meant. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'minimum minLength minItems': 'min minvalue lowerbound gte ge atleast',
    'maximum maxLength maxItems': 'max maxvalue upperbound lte le atmost',
    exclusiveMinimum: 'gt greaterthan',
    exclusiveMaximum: 'lt lessthan',
    'maxLength maxItems': 'length',
    enum: 'values options choices allowedvalues allowed oneofvalues',
    pattern: 'regex regexp match matches',
    multipleOf: 'step',
    uniqueItems: 'unique',
    default: 'defaultvalue',
    description: 'desc doc',
  }).flatMap(([keywords, names]) => names.split(' ').map(name => [name, keywords.split(' ')] as const)),
)
/** Whether a value is one that the keyword can have: otherwise the key is its author's own. */
const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  enum: value => Array.isArray(value) && value.length > 0 && value.every(one => typeof one !== 'object'),
  pattern: value => typeof value === 'string',
  description: value => typeof value === 'string',
  uniqueItems: value => typeof value === 'boolean',
  default: () => true,
}
const BY_TYPE: ReadonlyMap<unknown, RegExp> = new Map([
  ['string', /Length$/],
  ['array', /Items$/],
  ['integer', /imum$/],
  ['number', /imum$/],
])

function synonym(node: SchemaObject, key: string): string | undefined {
  const keywords = SYNONYMS.get(plainName(key))
  const [first] = keywords ?? []
  if (keywords === undefined || first === undefined) return undefined
  const fits = own(FITS, first) ?? (value => typeof value === 'number')
  if (!fits(own(node, key))) return undefined
  if (keywords.length === 1) return first
  const form = BY_TYPE.get([node['type']].flat().find(type => type !== 'null'))
  return form && keywords.find(keyword => form.test(keyword))
}

const meaningsIn = once((_: Agent) => new Map<string, string | undefined>())

/** The keyword that a key resembles. A key that resembles none is left alone, and so is a document that holds only keys of its own. */
function meant(agent: Agent, key: string): string | undefined {
  const meanings = meaningsIn(agent)
  if (!meanings.has(key)) meanings.set(key, meanings.size < MOST_KEYS ? meaningOf(key) : undefined)
  return meanings.get(key)
}

/** `additionalProperty` differs from its keyword by more than a typing error. */
function meaningOf(key: string): string | undefined {
  const plural = key.replace(/y$/, 'ies')
  return KEYWORDS.includes(plural) ? plural : probablyMeant(key, KEYWORDS)
}

/** The most distinct unknown keys that are compared with the keywords. */
const MOST_KEYS = 2000

/** The keywords that people misspell. */
const KEYWORDS =
  '$ref $defs type properties required additionalProperties patternProperties propertyNames unevaluatedProperties minProperties maxProperties items prefixItems unevaluatedItems contains minContains maxContains minItems maxItems uniqueItems enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format allOf anyOf oneOf dependentRequired dependentSchemas description default examples'.split(
    ' ',
  )
/** Keys with a known meaning: the other keywords, and those of older drafts, OpenAPI, editors and form builders. */
const KNOWN: ReadonlySet<string> = new Set([
  ...KEYWORDS,
  ...'$vocabulary $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor id not if then else contentEncoding contentMediaType dependencies additionalItems nullable example discriminator xml externalDocs errorMessage markdownDescription enumDescriptions enumNames defaultSnippets deprecationMessage patternErrorMessage suggestSortText doNotSuggest markdownEnumDescriptions enumItemLabels tsType tsEnumNames propertyOrdering unit units order note notes comment name names label hint formatMinimum formatMaximum'.split(
    ' ',
  ),
])
