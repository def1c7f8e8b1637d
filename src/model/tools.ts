// tools.json in memory. Every wire version is read into these types (tool-attachments document, §1 and §2).
import type { Kind, TransportOf } from './transports/index.ts'

/** A JSON Schema: an object, or `true`/`false`. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

export type SchemaRefs = { readonly [key: string]: JsonSchema | string }

/** How a tool is reached: the union of the kinds in `transports/`. */
export type Transport = TransportOf<Kind>

/** One tool attachment. */
export interface Tool {
  readonly id: string
  readonly description: string
  readonly transport: Transport
  readonly inputSchema: JsonSchema
  readonly resultSchema: JsonSchema
  /** What `schema:<key>` means in this tool: a schema, or as a string the id of one in `schemas/` or in the runtime's registry. */
  readonly schemaRefs: SchemaRefs
  readonly capabilities: readonly string[]
  readonly secrets: readonly string[]
  readonly budget: { readonly tokens?: number; readonly usd?: number } | undefined
  readonly requiresConfirmation: boolean
  readonly tags: readonly string[]
  /** Our extension, `x-rlp`. */
  readonly rlp: {
    readonly stdin: boolean
    /** Milliseconds. */
    readonly timeoutMs: number | undefined
    /** Of each process in a sandbox, in MiB; it only ever lowers the host's. */
    readonly memoryMb?: number | undefined
    readonly env: readonly string[]
  }
}

/** A tool, and its position in tools.json. */
export interface PlacedTool {
  readonly tool: Tool
  readonly index: number
}

export interface ToolsDocument {
  readonly version: number
  readonly tools: readonly Tool[]
}
