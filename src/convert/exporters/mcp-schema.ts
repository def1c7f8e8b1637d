// A schema in the words of 2020-12 → the same in words that every MCP client reads alike. One schema that a client cannot compile costs it
// the whole list of tools, and the official one compiles every outputSchema as draft-07.
import { type SchemaObject, withInner } from '../../schema/walk.ts'
import { withoutBooleans } from './object-root.ts'

/** They say nothing in 2020-12; validators of today refuse the first, and take a schema with the second for a promise. */
const SILENT = ['id', '$async']

/** What a client is shown. Recursive: depth must be bounded. */
export function clientSchema(schema: SchemaObject): SchemaObject {
  return withPlainNames(withoutBooleans(cleaned(schema)))
}

/** What a client holds results against: says the same to readers of draft-07 as far as they can judge it, and nothing more. */
export function clientOutputSchema(schema: SchemaObject): SchemaObject {
  return clientSchema(spelledOut(schema))
}

function cleaned(schema: SchemaObject): SchemaObject {
  const copy = { ...withInner(schema, child => (typeof child === 'boolean' ? child : cleaned(child))) }
  for (const keyword of SILENT) delete copy[keyword]
  // As the runtime reads it: only `true` beside a type says something. Elsewhere validators refuse the whole schema.
  if (copy['nullable'] !== true || copy['type'] === undefined) delete copy['nullable']
  return copy
}

/** The protocol's own schemas take an object with a member of this name for an instance of a class, and refuse the list. */
const NO_NAME = 'constructor'

function withPlainNames(root: SchemaObject): SchemaObject {
  const properties = root['properties']
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, NO_NAME))
    return root
  const { [NO_NAME]: moved, ...others } = properties as Record<string, unknown>
  const patterns = root['patternProperties'] as object | undefined
  return { ...root, properties: others, patternProperties: { ...patterns, [`^${NO_NAME}$`]: moved } }
}

/** `items` and `minContains` mean something else in draft-07, which would refuse what fits. */
function spelledOut(schema: SchemaObject): SchemaObject {
  const copy = { ...withInner(schema, child => (typeof child === 'boolean' ? child : spelledOut(child))) }
  const { prefixItems, items, contains, minContains, maxContains } = copy
  // Each in a schema of its own: beside other keywords it would leave to them what they have judged.
  const apart: SchemaObject[] = []
  if (prefixItems !== undefined && items !== undefined) {
    apart.push({ prefixItems, unevaluatedItems: items })
    for (const keyword of ['prefixItems', 'items']) delete copy[keyword]
  }
  if (contains !== undefined && minContains === 0) {
    apart.push({ anyOf: [defined({ contains, maxContains }), { not: { contains } }] })
    for (const keyword of ['contains', 'minContains', 'maxContains']) delete copy[keyword]
  }
  const { allOf } = copy
  return apart.length === 0 ? copy : { ...copy, allOf: [...(Array.isArray(allOf) ? allOf : []), ...apart] }
}

function defined(members: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
