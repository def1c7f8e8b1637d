// The registry of a tool's fields: one file and one word each. Whatever reads, writes, compares, judges or exports a tool goes through all of
// them.
import { setOwn } from '../../model/own.ts'
import type { Tool } from '../../model/tools.ts'
import { ownSchemas } from '../../schema/generated/schemas.js'
import { budget } from './budget.ts'
import { capabilities } from './capabilities.ts'
import { description } from './description.ts'
import { env } from './env.ts'
import type { ToolField, ToolValues } from './field.ts'
import { id } from './id.ts'
import { inputSchema } from './input-schema.ts'
import { memoryMb } from './memory-mb.ts'
import { requiresConfirmation } from './requires-confirmation.ts'
import { resultSchema } from './result-schema.ts'
import { schemaRefs } from './schema-refs.ts'
import { secrets } from './secrets.ts'
import { stdin } from './stdin.ts'
import { tags } from './tags.ts'
import { timeoutMs } from './timeout-ms.ts'
import { transport } from './transport.ts'

/** In the order in which options are listed. */
export const TOOL_FIELDS = {
  id,
  description,
  transport,
  inputSchema,
  resultSchema,
  schemaRefs,
  secrets,
  capabilities,
  requiresConfirmation,
  budget,
  tags,
  stdin,
  timeoutMs,
  memoryMb,
  env,
} as const satisfies { readonly [F in keyof ToolValues]-?: ToolField<ToolValues[F]> }

type AnyField = readonly [name: keyof ToolValues, field: ToolField<unknown>]

export const LISTED_FIELDS = Object.entries(TOOL_FIELDS) as readonly AnyField[]

const KEYS = Object.keys(ownSchemas['tools.v1'].$defs?.['tool']?.properties ?? {})

/** In the order in which a document has them. */
export const WRITTEN_FIELDS = LISTED_FIELDS.toSorted(
  ([, one], [, other]) => KEYS.indexOf(one.at[0]) - KEYS.indexOf(other.at[0]),
)

/** The value of a field; undefined if the tool lacks it. */
export function valueIn(tool: Tool, name: keyof ToolValues): unknown {
  const part: Partial<ToolValues> = Object.hasOwn(tool.rlp, name) ? tool.rlp : tool
  return Object.hasOwn(part, name) ? part[name] : undefined
}

/**
 * Makes plain objects. An engine that sees them come from one constructor keeps their members inside them, and freezes them without a copy of
 * their shape: a spread copy of a template takes four times the memory.
 */
const Plain = plainConstructor()

function plainConstructor(): new () => Record<string, unknown> {
  function Made() {}
  Made.prototype = Object.prototype
  return Made as unknown as new () => Record<string, unknown>
}

/** @param value the value of a field */
export function toolWith(value: (...field: AnyField) => unknown): Tool {
  const rlp = new Plain()
  const tool = new Plain()
  for (const [name, field] of WRITTEN_FIELDS) {
    const part = field.at[0] === 'x-rlp' ? rlp : tool
    setOwn(part, name, value(name, field))
  }
  setOwn(tool, 'rlp', rlp)
  return tool as Readonly<Record<string, unknown>> & Tool
}
