// The interface of an export format, and its input. Each file beside this one holds one format.
import type { ToolRecords } from '../../agent-tool/tool-records.ts'
import type { ConversionChange, ExportFormat, Fates } from '../../model/conversion.ts'
import type { JsonSchema, Tool } from '../../model/tools.ts'

/** A tool ready for export: references are replaced by their targets, internal arguments are removed. */
export interface PreparedTool {
  readonly tool: Tool
  /** What a model may write; without references to the outside. */
  readonly input: JsonSchema
  readonly result: JsonSchema
  /** What the executor gets, if a record says so. */
  readonly runtime: JsonSchema | undefined
  /** The tool's records in interfaces.json. */
  readonly records: ToolRecords
  /** Facts of its entry that are not stated, by their keys in tools.json (`x-inferred`). */
  readonly inferred: readonly string[]
  /** Keys of its entry that begin with `x-` and that rlp does not know. */
  readonly extensions: readonly string[]
}

export interface FormatOptions {
  /** The agent's name; undefined if its manifest has none. */
  readonly agent: string | undefined
  /** Which of OpenAI's two shapes. */
  readonly api: 'chat' | 'responses'
  /** Ids of all tools of the agent: a tool's exported name must not depend on which others are exported. */
  readonly ids: readonly string[]
}

interface Exported {
  /** JSON data. */
  readonly document: unknown
  /** How many tools are in it. */
  readonly tools: number
  /** Name there → id, for tools with another name there. */
  readonly names: ReadonlyMap<string, string>
  readonly changes: readonly ConversionChange[]
}

export interface Exporter {
  /** The value of `--to`. */
  readonly format: ExportFormat
  /** For `--help`: begins in lower case, no full stop. */
  readonly summary: string
  readonly fates: Fates
  /** In the order of the tools; the same for the same tools, at any time and place. */
  export(tools: readonly PreparedTool[], options: FormatOptions): Exported
}
