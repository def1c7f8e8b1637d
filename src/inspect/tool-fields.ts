// A tool → its fields, as a difference names them. Part of diff.ts.
import type { Tool } from '../model/tools.ts'

/** Everything but id and the two schemas, called as tools.json calls it. */
export function fieldsOf(tool: Tool): Record<string, unknown> {
  const { description, transport, capabilities, secrets, budget, requiresConfirmation, tags, rlp } = tool
  const parts = Object.entries(transport).map(([key, value]) => [`transport.${key}`, value])
  return {
    description,
    ...Object.fromEntries(parts),
    capabilities,
    secrets,
    budget,
    requires_confirmation: requiresConfirmation,
    tags,
    schema_refs: tool.schemaRefs,
    'x-rlp.stdin': rlp.stdin,
    'x-rlp.timeout_ms': rlp.timeoutMs,
    'x-rlp.memory_mb': rlp.memoryMb,
    'x-rlp.env': rlp.env,
  }
}
