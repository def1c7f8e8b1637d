// The one table of JSON Schema's keywords: which hold schemas, which check the same value as the schema around them, which judge a value,
// and which only describe it.

function each<T>(meaning: T, keywords: string): [keyword: string, meaning: T][] {
  return keywords.split(' ').map(keyword => [keyword, meaning])
}

/**
 * Whether a keyword holds one schema, a list of them, or schemas by name. `definitions` and `dependencies` are from older drafts, and every
 * reader still knows them. A map, because a stranger's keyword may be `constructor`.
 */
export const HOLDERS: ReadonlyMap<string, 'one' | 'list' | 'named'> = new Map([
  ...each(
    'one' as const,
    'additionalProperties unevaluatedProperties propertyNames items unevaluatedItems contains contentSchema not if then else',
  ),
  ...each('list' as const, 'allOf anyOf oneOf prefixItems'),
  ...each('named' as const, 'properties patternProperties $defs definitions dependentSchemas dependencies'),
])

/** The schemas in these check the same value as the schema around them. */
export const IN_PLACE: ReadonlySet<string> = new Set(
  'allOf anyOf oneOf not if then else dependentSchemas dependencies'.split(' '),
)

/** They hold schemas and judge nothing: only a reference leads there. */
const SHELVES = ['$defs', 'definitions']

const JUDGING: ReadonlySet<string> = new Set([
  ...[...HOLDERS.keys()].filter(keyword => !SHELVES.includes(keyword)),
  ...'type enum const multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern minItems maxItems uniqueItems minContains maxContains minProperties maxProperties required dependentRequired nullable'.split(
    ' ',
  ),
])

/** Whether a validator judges values by the keyword. `$ref` is not one of these, because its target judges. */
export function isJudging(keyword: string): boolean {
  return JUDGING.has(keyword)
}

const ANNOTATIONS: ReadonlySet<string> = new Set(
  '$comment title description default examples deprecated readOnly writeOnly'.split(' '),
)

/** Whether a keyword only describes a value. */
export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith('x-')
}

/** Whether a schema means the same without the keyword: an annotation, what only references lead to, and the schema's own names. */
export function isSilent(keyword: string): boolean {
  return isAnnotation(keyword) || keyword === '$schema' || keyword === '$id' || SHELVES.includes(keyword)
}
