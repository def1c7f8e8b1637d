// Tools → what an MCP server answers to tools/list. A hint is written only for a stated fact: clients assume the unsafe value for an
// absent hint, and treat a present one as a promise.
import { statedIn } from '../../agent-tool/tool-records.ts'
import type { ConversionChange, Field } from '../../model/conversion.ts'
import { type SchemaObject, withInner } from '../../schema/walk.ts'
import type { Exporter, PreparedTool } from './exporter.ts'
import { fatesIn, lossesOf, lost, saysNothing } from './fates.ts'
import { inputRoot, MCP_NAMES, writeNamed } from './named-tools.ts'
import { withoutBooleans } from './object-root.ts'

const FATES = fatesIn('mcp', {
  apart: 'stays behind the server, which runs the call',
  lost: 'MCP has no word for it',
})

/** One tool of a tools/list result. */
interface McpTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly outputSchema?: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly annotations?: Readonly<Partial<Record<(typeof HINTS)[number][1], boolean>>>
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** Facts that have a hint in MCP. */
export const HINTS = [
  ['is_read_only', 'readOnlyHint'],
  ['is_destructive', 'destructiveHint'],
  ['is_open_world', 'openWorldHint'],
] as const satisfies readonly (readonly [Field, string])[]

export const mcp: Exporter = {
  format: 'mcp',
  summary: 'what an MCP server answers to tools/list',
  fates: FATES,
  export(tools, options) {
    const { written, rest } = writeNamed(tools, options, MCP_NAMES, toMcpTool)
    return { document: { tools: written }, ...rest }
  },
}

/** @returns undefined if no call of the tool could be made */
function toMcpTool(prepared: PreparedTool, name: string, changes: ConversionChange[]): McpTool | undefined {
  const { tool } = prepared
  const root = inputRoot(prepared, changes)
  if (root === undefined) return undefined
  const facts = new Map(statedIn(prepared.records).map(({ field, value }) => [field, value]))
  const hints = HINTS.flatMap(([field, hint]) => {
    const value = facts.get(field)
    return typeof value === 'boolean' ? [[hint, value] as const] : []
  })
  const title = facts.get('title')
  const output = outputOf(prepared)
  const meta = metaOf(prepared, name)
  const written: McpTool = {
    name,
    ...(typeof title === 'string' && { title }),
    description: tool.description,
    inputSchema: { ...clientSchema(root), type: 'object' },
    ...(output && { outputSchema: output }),
    ...(hints.length > 0 && { annotations: Object.fromEntries(hints) }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  }
  changes.push(...lossesOf(prepared, FATES), ...changesOf(prepared, written, facts))
  return written
}

function changesOf(
  prepared: PreparedTool,
  written: McpTool,
  facts: ReadonlyMap<Field, unknown>,
): readonly ConversionChange[] {
  const changes: ConversionChange[] = []
  if (written.outputSchema === undefined && !saysNothing(prepared.result))
    changes.push(lost(prepared, 'result_schema', 'its root is no object, and MCP takes no other'))
  for (const [field, hint] of HINTS) {
    if (facts.has(field) && facts.get(field) === undefined)
      changes.push(
        lost(prepared, field, `a record says how it is found out; ${hint} is true or false, and is left out`),
      )
  }
  return changes
}

/** Only if the schema itself says that it is an object: adding that would promise something that was not stated. */
function outputOf({ result }: PreparedTool): McpTool['outputSchema'] {
  if (typeof result === 'boolean' || result['type'] !== 'object') return undefined
  return { ...clientOutputSchema(result), type: 'object' }
}

function metaOf({ tool }: PreparedTool, name: string): Record<string, unknown> {
  const { id, tags, budget, capabilities } = tool
  return {
    ...(name !== id && { 'rlp/id': id }),
    ...(tags.length > 0 && { 'rlp/tags': tags }),
    ...(budget && { 'rlp/budget': budget }),
    ...(capabilities.length > 0 && { 'rlp/capabilities': capabilities }),
  }
}

/** They say nothing in 2020-12; validators of today refuse the first, and take a schema with the second for a promise. */
const SILENT_KEYWORDS = ['id', '$async']

/** The words of 2020-12 that every MCP client reads alike, as a client is shown them: one schema that a client cannot compile costs it the
 * whole list of tools, and the official one compiles every outputSchema as draft-07. Recursive: depth must be bounded. */
function clientSchema(schema: SchemaObject): SchemaObject {
  return withPlainNames(withoutBooleans(cleaned(schema)))
}

/** What a client holds results against: says the same to readers of draft-07 as far as they can judge it, and nothing more. */
function clientOutputSchema(schema: SchemaObject): SchemaObject {
  return clientSchema(spelledOut(schema))
}

function cleaned(schema: SchemaObject): SchemaObject {
  const copy = { ...withInner(schema, child => (typeof child === 'boolean' ? child : cleaned(child))) }
  for (const keyword of SILENT_KEYWORDS) delete copy[keyword]
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
