// The dialect of a bundle's schemas: JSON Schema 2020-12, in which a plain `$ref` is all that names or resolves. A keyword that another
// reader might resolve elsewhere, or that the draft in `$schema` reads otherwise, shows that reader another schema.
import type { Pointer } from '../model/document.ts'
import { quoteValue } from '../text/quote.ts'
import { isSilent } from './keywords.ts'
import { findRefs } from './reference.ts'
import { isSchemaObject, type SchemaObject, type Subschema } from './walk.ts'

/** `unknown`: any other `$schema`, also one that is not a text. */
type Dialect = 'draft-06' | 'draft-07' | '2019-09' | '2020-12' | 'unknown'

/** The value of `$schema` for the dialect that schemas are read in. */
export const LATEST = 'https://json-schema.org/draft/2020-12/schema'
const DIALECT = /^https?:\/\/json-schema\.org\/(?:(draft-0[67])|draft\/(2019-09|2020-12))\/schema#?$/

/** The dialect in `$schema`, or 2020-12 without one. */
export function dialectOf(schema: unknown): Dialect {
  if (!isSchemaObject(schema) || !Object.hasOwn(schema, '$schema')) return '2020-12'
  const { $schema } = schema
  const [, draft, year] = (typeof $schema === 'string' ? DIALECT.exec($schema) : null) ?? []
  return (draft ?? year ?? 'unknown') as Dialect
}

/** A keyword that a bundle's schemas must not have at this place. */
export interface DialectProblem {
  /** From the root to the keyword. */
  readonly pointer: Pointer
  readonly message: string
  readonly fix: string
}

/** @param nodes from `subschemasOf`, the root first */
export function outsideDialect(nodes: readonly Subschema[]): DialectProblem[] {
  const root = nodes[0]?.schema
  const dialect = dialectOf(root)
  const hasId = Object.hasOwn(Object(root), '$id')
  const hasPath = hasId && findRefs(nodes).some(({ ref }) => PATH.test(ref))
  const found: DialectProblem[] = []
  for (const { pointer, schema } of nodes) {
    if (!isSchemaObject(schema)) continue
    const around = { dialect, isRoot: pointer.length === 0, hasPath }
    for (const keyword of Object.keys(schema)) {
      const refusal = refusalOf(keyword, schema, around)
      if (refusal) found.push({ pointer: [...pointer, keyword], message: refusal[0], fix: refusal[1] })
    }
  }
  return found
}

/** A relative path: it begins with no fragment, slash or scheme. */
const PATH = /^(?![A-Za-z][A-Za-z0-9+.-]*:)[^#/]/
/** They name a schema, or resolve a reference, in ways in which readers differ. */
export const NAMES = [
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef',
  '$vocabulary',
]
const PLAIN = 'Write a plain $ref, such as "#/$defs/<name>", and remove this keyword'

function refusalOf(
  keyword: string,
  schema: SchemaObject,
  { dialect, isRoot, hasPath }: { dialect: Dialect; isRoot: boolean; hasPath: boolean },
): readonly [message: string, fix: string] | undefined {
  if (NAMES.includes(keyword) || (keyword === '$id' && !isRoot))
    return [`"${keyword}" names or resolves a schema, and readers differ in how`, PLAIN]
  if (keyword === '$id' && hasPath)
    return [
      '"$id" changes where some readers look for a $ref that is a path',
      'Remove "$id", or write schema:<id>',
    ]
  if (keyword === '$schema') {
    if (!isRoot) return ['"$schema" is only read at the top of a schema', 'Remove it']
    if (dialect === 'unknown')
      return [
        `${quoteValue(schema[keyword])} is no dialect that is known here`,
        `Write "${LATEST}", or remove "$schema"`,
      ]
  }
  const other = readOtherwise(keyword, schema, dialect)
  if (other === undefined) return undefined
  return [`The schema is ${dialect}: ${other[0]}`, other[1]]
}

function readOtherwise(
  keyword: string,
  schema: SchemaObject,
  dialect: Dialect,
): readonly [what: string, fix: string] | undefined {
  if (keyword === 'items' && dialect !== '2020-12' && Array.isArray(schema[keyword]))
    return [
      '"items" is a list, which 2020-12 calls prefixItems',
      'Write prefixItems for the list, and items for what follows it',
    ]
  const isOld = dialect === 'draft-06' || dialect === 'draft-07'
  if (keyword !== '$ref' || !isOld || Object.keys(schema).every(key => key === '$ref' || isSilent(key)))
    return undefined
  return [
    '"$ref" has other keywords beside it, which count in 2020-12 and did not before',
    'Put { "$ref": … } into allOf, or remove the keywords beside it',
  ]
}
