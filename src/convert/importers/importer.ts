// What an import format is, and what it gives. One file beside this one holds one format.
import type { RecordObject } from '../../format/agent-tool/records.ts'
import type { Change, Fates } from '../../model/conversion.ts'
import type { JsonSchema, Tool } from '../../model/tools.ts'

/** A file of another system. */
export interface ImportSource {
  readonly bytes: Uint8Array
  /** How people call the file. */
  readonly label: string
  /** Absolute path of the folder in which relative programs lie. */
  readonly installDir: string
  readonly platform: 'posix' | 'win32'
}

/** A tool as another system describes it. What it does not say is undefined. */
export interface ImportedTool {
  readonly name: string
  /** The id that it had before it was exported, where the file still has it. */
  readonly id: string | undefined
  readonly description: string | undefined
  readonly inputSchema: JsonSchema | undefined
  readonly resultSchema: JsonSchema | undefined
  /** How it is run; undefined where that system does not describe it. */
  readonly run: Pick<Tool, 'transport' | 'rlp'> | undefined
  readonly capabilities: readonly string[]
  readonly budget: Tool['budget']
  readonly tags: readonly string[]
  readonly requiresConfirmation: boolean
  /** Stated facts for which tools.json has no place, as fields of a tool_interface. */
  readonly facts: RecordObject
  /** Keys of tools.json whose values the importer had to make up. */
  readonly inferred: readonly string[]
}

export interface Imported {
  readonly tools: readonly ImportedTool[]
  /** `tool` is the name in the file. */
  readonly changes: readonly Change[]
}

export interface Importer {
  /** As `--from` has it. */
  readonly format: 'agentcli' | 'openai' | 'mcp' | 'agent-tool'
  /** For `--help`: begins in lower case, no full stop. */
  readonly summary: string
  readonly fates: Fates
  /** @throws RlpError NOT_CONVERTIBLE */
  read(source: ImportSource): Imported
}
