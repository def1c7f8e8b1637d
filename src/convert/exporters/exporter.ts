// What an export format is, and what it is given. One file beside this one holds one format.

import type { ToolRecords } from '../../format/agent-tool/tool-records.ts'
import type { Change, Fates } from '../../model/conversion.ts'
import type { JsonSchema, Tool } from '../../model/tools.ts'

/** A tool on its way out: what it refers to has been put in its place, and what is internal is gone. */
export interface PreparedTool {
  readonly tool: Tool
  /** What a model may write; refers to nothing outside itself. */
  readonly input: JsonSchema
  readonly result: JsonSchema
  /** What the executor gets, where a record says so. */
  readonly runtime: JsonSchema | undefined
  /** What interfaces.json says of it. */
  readonly records: ToolRecords
  /** Facts of its entry that nobody stated, by their keys in tools.json (`x-inferred`). */
  readonly inferred: readonly string[]
  /** Keys of its entry that begin with `x-` and that no reader of ours knows. */
  readonly extensions: readonly string[]
}

export interface ExportOptions {
  /** The agent's name; undefined where its manifest has none. */
  readonly agent: string | undefined
  /** Which of OpenAI's two shapes. */
  readonly api: 'chat' | 'responses'
  /** Ids of all tools of the agent: a tool is called the same whether it is exported alone or with the others. */
  readonly ids: readonly string[]
}

export interface Exported {
  /** JSON data. */
  readonly document: unknown
  /** How many tools are in it. */
  readonly tools: number
  /** Name there → id, of tools that have another name there. */
  readonly names: ReadonlyMap<string, string>
  readonly changes: readonly Change[]
}

export interface Exporter {
  /** As `--to` has it. */
  readonly format: string
  /** For `--help`: begins in lower case, no full stop. */
  readonly summary: string
  readonly fates: Fates
  /** In the order of the tools; the same for the same tools, whenever and wherever. */
  export(tools: readonly PreparedTool[], options: ExportOptions): Exported
}
