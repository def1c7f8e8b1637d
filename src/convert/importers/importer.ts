// The interface of an import format, and its result. Each file beside this one holds one format.
import type { RecordObject } from '../../agent-tool/records.ts'
import type { ConversionChange, Fate, Fates } from '../../model/conversion.ts'
import type { JsonSchema, Tool } from '../../model/tools.ts'
import { keptAs } from '../../tools/fields/field.ts'

/** A file of another system. */
export interface ImportSource {
  readonly bytes: Uint8Array
  /** Name of the file in messages. */
  readonly label: string
  /** Absolute path of the folder that relative programs are in. */
  readonly installDir: string
  readonly platform: 'posix' | 'win32'
}

/** What formats have in common that give each tool a name and a description. */
export const NAMED: Fates = {
  id: keptAs('id; --names gives back what an export has renamed', 'renamed'),
  description: keptAs('description; the name if description is missing', 'inferred'),
}

const NOT_SAID: Fate = { is: 'inferred', note: 'has to be given: --command, --url or --transport-from' }
/** What becomes of the transport if a format does not describe it. */
export const NO_TRANSPORT: Fates = { command: NOT_SAID, http: NOT_SAID }
/** What formats have in common that describe functions, and not how they are run. */
export const FUNCTIONS: Fates = {
  ...NAMED,
  ...NO_TRANSPORT,
  requires_confirmation: { is: 'inferred', note: 'false, or what --transport-from has' },
}

/** A tool as another system describes it. Facts that it lacks are undefined. */
export interface ImportedTool {
  readonly name: string
  /** The id that it had before its export, if the file still has it. */
  readonly id: string | undefined
  readonly description: string | undefined
  readonly inputSchema: JsonSchema | undefined
  readonly resultSchema: JsonSchema | undefined
  /** How it is run; undefined if that system does not describe it. */
  readonly run: Pick<Tool, 'transport' | 'rlp'> | undefined
  readonly capabilities: readonly string[]
  readonly budget: Tool['budget']
  readonly tags: readonly string[]
  readonly requiresConfirmation: boolean
  /** Stated facts without a place in tools.json, as fields of a tool_interface. */
  readonly facts: RecordObject
  /** Keys of tools.json whose values the importer had to infer. */
  readonly inferred: readonly string[]
}

/** What is lost of members that tools.json has no place for: one change, or none. */
export function otherMembers(
  tool: string,
  keys: readonly string[],
  known: readonly string[],
): ConversionChange[] {
  const others = [...new Set(keys)].filter(key => !known.includes(key))
  if (others.length === 0) return []
  const message = `${others.join(', ')}: tools.json has no place for it`
  return [{ tool, field: 'other', what: 'lost', message }]
}

/** What a tool has whose format says none of it. */
export const UNSAID = {
  id: undefined,
  resultSchema: undefined,
  run: undefined,
  capabilities: [],
  budget: undefined,
  tags: [],
  requiresConfirmation: false,
  facts: {},
  inferred: [],
} as const satisfies Partial<ImportedTool>

export interface Imported {
  readonly tools: readonly ImportedTool[]
  /** `tool` is the name in the file. */
  readonly changes: readonly ConversionChange[]
  /** The tools that cannot be imported. */
  readonly bad: readonly BadTool[]
}

/** A tool that cannot be imported. */
export interface BadTool {
  /** Its name in the file; undefined if that cannot be read. */
  readonly name: string | undefined
  /** Half a sentence that begins with where it is. */
  readonly why: string
  /** What to do about it. */
  readonly hint?: string | undefined
}

export interface Importer {
  /** The value of `--from`. */
  readonly format: 'agentcli' | 'openai' | 'mcp' | 'agent-tool' | 'anthropic' | 'gemini'
  /** For `--help`: begins in lower case, no full stop. */
  readonly summary: string
  readonly fates: Fates
  /** @throws RlpError NOT_CONVERTIBLE */
  read(source: ImportSource): Imported
}
