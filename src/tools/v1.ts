// tools.json version 1 ↔ the in-memory tools (tool-attachments document, §1 and §2).
import { ownMembers } from '../model/own.ts'
import type { JsonSchema, SchemaRefs, Tool, ToolsDocument, Transport } from '../model/tools.ts'
import { TRANSPORTS, transportKind } from './transports/index.ts'

type Json = Readonly<Record<string, unknown>>

/** @param value a document that the version's schema has accepted */
export function readToolsV1(value: unknown): ToolsDocument {
  const root = ownMembers(value as Json)
  return {
    version: 1,
    tools: ((root['tools'] as Json[] | undefined) ?? []).map(json => readTool(ownMembers(json))),
  }
}

function readTool(json: Json): Tool {
  const rlp = ownMembers((json['x-rlp'] ?? {}) as Json)
  const budget = json['budget'] as { tokens?: number | null; usd?: number | null } | null | undefined
  return {
    id: json['id'] as string,
    description: json['description'] as string,
    transport: readTransport(ownMembers(json['transport'] as Json)),
    inputSchema: json['input_schema'] as JsonSchema,
    resultSchema: json['result_schema'] as JsonSchema,
    schemaRefs: (json['schema_refs'] ?? {}) as SchemaRefs,
    capabilities: (json['capabilities'] as string[]) ?? [],
    secrets: (json['secrets'] as string[]) ?? [],
    budget: budget
      ? {
          ...(typeof budget.tokens === 'number' && { tokens: budget.tokens }),
          ...(typeof budget.usd === 'number' && { usd: budget.usd }),
        }
      : undefined,
    requiresConfirmation: json['requires_confirmation'] === true,
    tags: (json['observability'] as { tags?: string[] } | null | undefined)?.tags ?? [],
    rlp: {
      stdin: rlp['stdin'] === true,
      timeoutMs: rlp['timeout_ms'] as number | undefined,
      memoryMb: rlp['memory_mb'] as number | undefined,
      env: (rlp['env'] as string[]) ?? [],
    },
  }
}

function readTransport(json: Json): Transport {
  const kind = TRANSPORTS.find(({ kind }) => kind === json['kind'])
  if (kind === undefined)
    throw new TypeError('the schema accepted a transport kind that the registry does not have')
  return kind.read(json)
}

/** One tool as an entry of `tools.json`, keys in the order of the document's table; empty values are left out. */
export function writeToolV1(tool: Tool): Record<string, unknown> {
  return {
    id: tool.id,
    description: tool.description,
    transport: transportKind(tool.transport).write(tool.transport),
    input_schema: tool.inputSchema,
    result_schema: tool.resultSchema,
    ...(Object.keys(tool.schemaRefs).length > 0 && { schema_refs: tool.schemaRefs }),
    ...(tool.capabilities.length > 0 && { capabilities: tool.capabilities }),
    ...(tool.secrets.length > 0 && { secrets: tool.secrets }),
    ...(tool.budget && { budget: tool.budget }),
    ...(saysConfirmation(tool) && { requires_confirmation: tool.requiresConfirmation }),
    ...(tool.tags.length > 0 && { observability: { tags: tool.tags } }),
    ...rlpExtension(tool),
  }
}

/** For a call that changes something, `false` is written too: it shows that the author decided. */
function saysConfirmation({ requiresConfirmation, transport }: Tool): boolean {
  return requiresConfirmation || transportKind(transport).shown.changing(transport) !== undefined
}

function rlpExtension(tool: Tool): Record<string, unknown> {
  const rlp = ownMembers(tool.rlp)
  const extension = {
    ...(rlp.stdin && { stdin: true }),
    ...(rlp.timeoutMs !== undefined && { timeout_ms: rlp.timeoutMs }),
    ...(rlp.memoryMb !== undefined && { memory_mb: rlp.memoryMb }),
    ...(rlp.env.length > 0 && { env: rlp.env }),
  }
  return Object.keys(extension).length > 0 ? { 'x-rlp': extension } : {}
}

/**
 * A whole document as the existing tooling writes it: two spaces, no final newline.
 * @param schema where an editor finds the schema, for `$schema`
 */
export function writeToolsV1(tools: readonly Tool[], schema?: string): string {
  const first = schema === undefined ? {} : { $schema: schema }
  return JSON.stringify({ ...first, version: 1, tools: tools.map(writeToolV1) }, null, 2)
}
