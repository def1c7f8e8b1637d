// What happens to a tool when one system's description is converted to another's (docs/conversions.md).

/**
 * What a conversion did to a fact that the other side cannot hold unchanged, or that this side does not
 * state.
 */
export interface ConversionChange {
  /** The tool's id, or its name in the file it came from; undefined for the document as a whole. */
  readonly tool: string | undefined
  readonly field: Field
  /**
   * `lost`: the other side does not have it. `inferred`: the source does not state it. `renamed`: it has
   * another name there.
   */
  readonly what: 'lost' | 'inferred' | 'renamed'
  /** Half a sentence, without a full stop. */
  readonly message: string
}

/**
 * Every fact about a tool that one of the systems can describe, by the name that docs/conversions.md gives
 * it.
 */
export const FIELDS = {
  id: 'machine name',
  title: 'display title',
  description: 'description',
  input_schema: 'input schema',
  internal_input: 'internal input',
  result_schema: 'result schema',
  command: 'program',
  arguments: 'arguments channel',
  http: 'http call',
  timeout_ms: 'time limit',
  memory_mb: 'memory limit',
  env: 'environment',
  secrets: 'secrets',
  capabilities: 'capabilities',
  requires_confirmation: 'human confirmation',
  requires_user_interaction: 'needs the user while running',
  is_read_only: 'read only',
  is_destructive: 'destructive',
  is_open_world: 'open world',
  idempotent: 'idempotent',
  is_concurrency_safe: 'parallel use',
  strict: 'strict schema',
  budget: 'budget',
  tags: 'tags',
  deferred: 'deferred loading',
  max_inline_chars: 'large output',
  extensions: 'members beginning with x-',
  record: 'what only an Agent Tool record says',
  other: 'what the other system says beside that',
} as const

export type Field = keyof typeof FIELDS

/** What becomes of a field in one direction, when there is something to convert. */
export interface Fate {
  /**
   * `kept`: it arrives. `lost`: it does not. `apart`: it says how a call is carried out, which the target
   * does not describe; it stays with the host that carries out calls. `inferred`: the source never says it.
   */
  readonly is: 'kept' | 'lost' | 'apart' | 'inferred'
  /** Other outcomes that are possible, each reported as a {@link ConversionChange}. */
  readonly may?: readonly ConversionChange['what'][]
  /** For people: where it goes, or why not. Without a full stop. */
  readonly note: string
}

/** The systems that tools are exported to, as `--to` calls them. */
export type ExportFormat = 'openai' | 'mcp' | 'agent-tool' | 'agentcli'

/** Fields that neither side has are left out. */
export type Fates = Readonly<Partial<Record<Field, Fate>>>
