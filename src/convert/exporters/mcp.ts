// Tools → what an MCP server answers to tools/list. A hint is written only for a stated fact: clients assume the unsafe value for an
// absent hint, and treat a present one as a promise.

import { statedIn } from '../../format/agent-tool/tool-records.ts'
import type { Change, Field } from '../../model/conversion.ts'
import type { Exporter, PreparedTool } from './exporter.ts'
import { lossesOf, lost, saysNothing } from './losses.ts'
import { MCP_FATES } from './mcp-fates.ts'
import { clientOutputSchema, clientSchema } from './mcp-schema.ts'
import { MCP_NAMES, namesFor } from './names.ts'
import { objectRoot } from './object-root.ts'

/** One tool of a tools/list result. */
export interface McpTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly outputSchema?: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly annotations?: Readonly<Partial<Record<(typeof HINTS)[number][1], boolean>>>
  readonly _meta?: Readonly<Record<string, unknown>>
}

const HINTS = [
  ['is_read_only', 'readOnlyHint'],
  ['is_destructive', 'destructiveHint'],
  ['is_open_world', 'openWorldHint'],
] as const satisfies readonly (readonly [Field, string])[]

export const mcp: Exporter = {
  format: 'mcp',
  summary: 'what an MCP server answers to tools/list',
  fates: MCP_FATES,
  export(tools, { ids }) {
    const names = namesFor(ids, MCP_NAMES)
    const changes: Change[] = []
    const renamed = new Map<string, string>()
    const written = tools.flatMap(prepared => {
      const { id } = prepared.tool
      const made = toMcpTool(prepared, names.get(id) ?? id)
      changes.push(...made.changes)
      if (made.tool !== undefined && made.tool.name !== id) renamed.set(made.tool.name, id)
      return made.tool ?? []
    })
    return { document: { tools: written }, tools: written.length, names: renamed, changes }
  },
}

/** @returns undefined if no call of the tool could be made */
export function toMcpTool(
  prepared: PreparedTool,
  name: string,
): { readonly tool: McpTool | undefined; readonly changes: readonly Change[] } {
  const { tool, input } = prepared
  const root = objectRoot(input)
  if (root === undefined) {
    const message = 'no object fits it, so no call could be made: the tool is left out'
    return { tool: undefined, changes: [lost(prepared, 'input_schema', message)] }
  }
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
  return { tool: written, changes: changesOf(prepared, written, facts) }
}

function changesOf(prepared: PreparedTool, written: McpTool, facts: ReadonlyMap<Field, unknown>): Change[] {
  const { tool, input, result } = prepared
  const about = (field: Field, what: Change['what'], message: string): Change => ({
    tool: tool.id,
    field,
    what,
    message,
  })
  const changes = lossesOf(prepared, MCP_FATES)
  if (written.name !== tool.id) changes.push(about('id', 'renamed', `${tool.id} is ${written.name} there`))
  if (objectRoot(input) !== input)
    changes.push(about('input_schema', 'inferred', 'its type is object: arguments always are'))
  if (written.outputSchema === undefined && !saysNothing(result))
    changes.push(about('result_schema', 'lost', 'its root is no object, and MCP takes no other'))
  for (const [field, hint] of HINTS) {
    if (facts.has(field) && facts.get(field) === undefined)
      changes.push(
        about(field, 'lost', `a record says how it is found out; ${hint} is true or false, and is left out`),
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
