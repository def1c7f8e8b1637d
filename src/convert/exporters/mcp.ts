// Tools → what an MCP server answers to tools/list. A hint is written only for a stated fact: clients assume the unsafe value for an
// absent hint, and treat a present one as a promise.
import { statedIn } from '../../agent-tool/tool-records.ts'
import type { ConversionChange, Fates, Field } from '../../model/conversion.ts'
import type { Exporter, PreparedTool } from './exporter.ts'
import { lossesOf, lost, saysNothing } from './losses.ts'
import { clientOutputSchema, clientSchema } from './mcp-schema.ts'
import { firstFates, inputRoot, writeNamed } from './named-tools.ts'
import { MCP_NAMES } from './names.ts'

/** What becomes of each field of a tool in MCP. */
const APART = { is: 'apart', note: 'stays behind the server, which runs the call' } as const
const NO_WORD = { is: 'lost', note: 'MCP has no word for it' } as const
const hint = (name: string) =>
  ({
    is: 'kept',
    may: ['lost'],
    note: `annotations.${name}, only where it is stated as true or false`,
  }) as const

const MCP_FATES: Fates = {
  ...firstFates(
    MCP_NAMES,
    { is: 'kept', note: 'title' },
    'inputSchema, with references put in their place; an object at its root',
  ),
  result_schema: { is: 'kept', may: ['lost'], note: 'outputSchema, where its root is an object' },
  command: APART,
  arguments: APART,
  http: APART,
  timeout_ms: APART,
  memory_mb: APART,
  env: APART,
  secrets: APART,
  capabilities: { is: 'kept', note: '_meta["rlp/capabilities"]' },
  requires_confirmation: {
    is: 'lost',
    note: 'MCP has no field for it: the runtime behind the server asks, not the client',
  },
  requires_user_interaction: NO_WORD,
  is_read_only: hint('readOnlyHint'),
  is_destructive: hint('destructiveHint'),
  is_open_world: hint('openWorldHint'),
  is_concurrency_safe: NO_WORD,
  strict: NO_WORD,
  budget: { is: 'kept', note: '_meta["rlp/budget"]' },
  tags: { is: 'kept', note: '_meta["rlp/tags"]' },
  deferred: NO_WORD,
  max_inline_chars: NO_WORD,
  extensions: NO_WORD,
  record: NO_WORD,
}

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
  changes.push(...lossesOf(prepared, MCP_FATES), ...changesOf(prepared, written, facts))
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
