// tools.json version 1 ↔ the in-memory tools (tool-attachments document, §1 and §2).
import { own } from '../model/own.ts'
import type { Tool, ToolsDocument } from '../model/tools.ts'
import { toolWith, valueIn, WRITTEN_FIELDS } from './fields/index.ts'

type Json = Readonly<Record<string, unknown>>

/** @param value a document that the version's schema has accepted */
export function readToolsV1(value: unknown): ToolsDocument {
  const tools = own(value as Json, 'tools') as readonly Json[] | undefined
  return { version: 1, tools: (tools ?? []).map(readTool) }
}

function readTool(json: Json): Tool {
  return toolWith((_, field) => {
    const member = own(json, field.at[0])
    const inner = field.at[1]
    return field.read(inner === undefined ? member : own(member as Json, inner))
  })
}

/** One tool as an entry of `tools.json`, keys in the order of the document's table; empty values are left out. */
export function writeToolV1(tool: Tool): Record<string, unknown> {
  const entry: Record<string, unknown> = {}
  for (const [name, { at, write, isDecided }] of WRITTEN_FIELDS) {
    const [key, inner] = at
    const value = valueIn(tool, name)
    const written = write(value) ?? (isDecided?.(tool) ? value : undefined)
    if (written === undefined) continue
    entry[key] = inner === undefined ? written : { ...(own(entry, key) as Json), [inner]: written }
  }
  return entry
}

/**
 * A whole document as the existing tooling writes it: two spaces, no final newline.
 * @param schema where an editor finds the schema, for `$schema`
 */
export function writeToolsV1(tools: readonly Tool[], schema?: string): string {
  const first = schema === undefined ? {} : { $schema: schema }
  return JSON.stringify({ ...first, version: 1, tools: tools.map(writeToolV1) }, null, 2)
}
