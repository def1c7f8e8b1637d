// A schema of an older dialect → its first keyword with another meaning in 2020-12. Most such schemas have none.
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import { quoteText } from '../text/quote.ts'
import type { Dialect } from './dialect.ts'
import type { SchemaObject, Subschema } from './walk.ts'

/** A keyword with another meaning, or none, in 2020-12. */
export interface Misread {
  /** From the schema's root to the keyword. */
  readonly pointer: Pointer
  /** Its meaning in 2020-12: the end of a sentence about the keyword. */
  readonly why: string
  readonly fix: string
}

interface Around {
  readonly isRoot: boolean
  /** Whether anything in the whole schema refers to a place. */
  readonly hasRefs: boolean
}

interface Difference {
  readonly keyword: string
  /** The newest dialect with the older meaning. */
  readonly until: Exclude<Dialect, '2020-12' | 'unknown'>
  is(value: unknown, schema: SchemaObject, around: Around): boolean
  readonly why: string
  readonly fix: string
}

const AGES: readonly Dialect[] = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12']

/** Keywords that judge no value and so may be beside a `$ref`: annotations, and what editors and generators of types read. */
const SILENT = new Set(
  '$ref $id id $schema $comment $defs definitions title description default example examples deprecated readOnly writeOnly nullable markdownDescription deprecationMessage enumDescriptions markdownEnumDescriptions enumItemLabels enumNames defaultSnippets doNotSuggest suggestSortText errorMessage patternErrorMessage tsType tsEnumNames'.split(
    ' ',
  ),
)

const DIFFERENCES: readonly Difference[] = [
  {
    keyword: 'items',
    until: '2019-09',
    is: Array.isArray,
    why: 'is a list, which 2020-12 calls prefixItems',
    fix: 'Write prefixItems for the list, and items for what follows it',
  },
  {
    keyword: '$recursiveRef',
    until: '2019-09',
    is: () => true,
    why: 'means nothing in 2020-12',
    fix: 'Write $ref, or $dynamicRef and $dynamicAnchor',
  },
  {
    keyword: '$ref',
    until: 'draft-07',
    is: (_value, schema) => Object.keys(schema).some(key => !SILENT.has(key) && !key.startsWith('x-')),
    why: 'has other keywords beside it, which count in 2020-12 and did not before',
    fix: 'Remove the keywords beside it, or write "$schema": "https://json-schema.org/draft/2020-12/schema" if they are meant',
  },
  {
    keyword: '$id',
    until: 'draft-07',
    is: value => typeof value === 'string' && /^#./.test(value),
    why: 'is a name, which 2020-12 calls $anchor',
    fix: 'Write $anchor, and the name without "#"',
  },
  {
    keyword: 'id',
    until: 'draft-04',
    is: value => typeof value === 'string' && /^#./.test(value),
    why: 'is a name, which 2020-12 calls $anchor',
    fix: 'Write $anchor, and the name without "#"',
  },
  {
    // A name for the whole schema changes nothing. Inside, it is where `#/` begins.
    keyword: 'id',
    until: 'draft-04',
    is: (value, _schema, { isRoot, hasRefs }) => typeof value === 'string' && !isRoot && hasRefs,
    why: 'means nothing in 2020-12, and references may lead elsewhere without it',
    fix: 'Write $id',
  },
  {
    keyword: 'exclusiveMinimum',
    until: 'draft-04',
    is: value => typeof value === 'boolean',
    why: 'is true or false; 2020-12 wants the bound itself',
    fix: 'Write the bound as exclusiveMinimum, and remove minimum',
  },
  {
    keyword: 'exclusiveMaximum',
    until: 'draft-04',
    is: value => typeof value === 'boolean',
    why: 'is true or false; 2020-12 wants the bound itself',
    fix: 'Write the bound as exclusiveMaximum, and remove maximum',
  },
]

/** @param dialect the schema's own, an older one */
export function findMisread(nodes: readonly Subschema[], dialect: Dialect): Misread | undefined {
  const differences = DIFFERENCES.filter(({ until }) => AGES.indexOf(dialect) <= AGES.indexOf(until))
  const hasRefs = nodes.some(({ schema }) => typeof schema === 'object' && Object.hasOwn(schema, '$ref'))
  for (const { pointer, schema } of nodes) {
    const around = { isRoot: pointer.length === 0, hasRefs }
    if (typeof schema === 'boolean') continue
    for (const { keyword, is, why, fix } of differences) {
      if (!Object.hasOwn(schema, keyword) || !is(own(schema, keyword), schema, around)) continue
      return { pointer: [...pointer, keyword], why: `${quoteText(keyword)} ${why}`, fix }
    }
  }
  return undefined
}
