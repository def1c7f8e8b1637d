// The JSON Schemas of an agent and their positions.

import { type Agent, MANIFEST_FILE, TOOLS_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import type { Place } from '../../model/finding.ts'
import type { Tool } from '../../model/tools.ts'
import { isSchemaFile } from '../../schema/reference.ts'
import { quoteText } from '../../text/quote.ts'
import { toolsOf } from './agent-tools.ts'

/** A schema and its position. */
export interface ListedSchema {
  readonly file: string
  /** From the root of the file. */
  readonly at: Pointer
  /** `entry` is one of a tool's `schema_refs`, `settings` the manifest's `[schemas.with]`. */
  readonly role: 'input' | 'result' | 'entry' | 'file' | 'settings'
  /** The tool whose `schema_refs` come first; undefined for a file and for settings. */
  readonly tool: Tool | undefined
  readonly schema: unknown
}

/** In the order of tools, then files, then settings. */
export function listSchemas(agent: Agent): ListedSchema[] {
  const { documents } = agent
  const listed: ListedSchema[] = []
  for (const { index, tool } of toolsOf(agent)) {
    const add = (role: ListedSchema['role'], at: Pointer, schema: unknown) =>
      listed.push({ file: TOOLS_FILE, at: ['tools', index, ...at], role, tool, schema })
    add('input', ['input_schema'], tool.inputSchema)
    add('result', ['result_schema'], tool.resultSchema)
    for (const [id, schema] of Object.entries(tool.schemaRefs)) {
      // An alias is a name for a schema that is listed elsewhere.
      if (typeof schema !== 'string') add('entry', ['schema_refs', id], schema)
    }
  }
  for (const [file, { value: schema }] of documents)
    if (isSchemaFile(file)) listed.push({ file, at: [], role: 'file', tool: undefined, schema })
  const manifest = documents.get(MANIFEST_FILE)?.value as { schemas?: { with?: unknown } } | undefined
  const schemas = manifest?.schemas
  const settings = typeof schemas === 'object' && schemas !== null ? schemas.with : undefined
  if (settings !== undefined) {
    const at = ['schemas', 'with']
    listed.push({ file: MANIFEST_FILE, at, role: 'settings', tool: undefined, schema: settings })
  }
  return listed
}

/** The tool that has a schema, in quotes; of a schema in a file of its own the file. */
export function schemaOwner({ tool, file }: ListedSchema): string {
  return quoteText(tool?.id ?? file)
}

/** The argument that holds a place in a schema, behind the tool: `"mail.send.to"`; the tool alone if there is none. */
export function argumentOf(schema: ListedSchema, pointer: Pointer): string {
  const name = pointer.findLast((_, index) => pointer[index - 1] === 'properties')
  const owner = schema.tool?.id ?? schema.file
  return quoteText(name === undefined ? owner : `${owner}.${name}`)
}

/** The file and position of a part of a schema. */
export function placeIn(
  { file, at }: ListedSchema,
  pointer: Pointer,
  part?: 'key' | 'value',
): { readonly file: string; readonly place: Place } {
  return { file, place: { pointer: [...at, ...pointer], ...(part && { part }) } }
}
