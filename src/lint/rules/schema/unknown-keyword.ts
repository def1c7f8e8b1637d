import { isSilent } from '../../../format/schema/keywords.ts'
import { probablyMeant } from '../../../format/text/did-you-mean.ts'
import { quoteText } from '../../../format/text/quote.ts'
import type { Agent } from '../../../model/agent.ts'
import { once } from '../once.ts'
import type { Rule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { misplacedOf } from '../schema-misplaced.ts'

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
      for (const key of Object.keys(node)) {
        if (KNOWN.has(key) || isSilent(key)) continue
        const keyword = meant(agent, key)
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
