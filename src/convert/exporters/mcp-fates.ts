// What becomes of each field of a tool in MCP.
import type { Fates } from '../../model/conversion.ts'
import { firstFates } from './named-tools.ts'
import { MCP_NAMES } from './names.ts'

const APART = { is: 'apart', note: 'stays behind the server, which runs the call' } as const
const NO_WORD = { is: 'lost', note: 'MCP has no word for it' } as const
const hint = (name: string) =>
  ({
    is: 'kept',
    may: ['lost'],
    note: `annotations.${name}, only where it is stated as true or false`,
  }) as const

export const MCP_FATES: Fates = {
  ...firstFates(
    MCP_NAMES,
    { is: 'kept', note: 'title' },
    'inputSchema, with references put in their place; an object at its root',
  ),
  result_schema: { is: 'kept', may: ['lost'], note: 'outputSchema, where its root is an object' },
  command: APART,
  arguments: APART,
  http: APART,
  timeout_ms: APART,
  env: APART,
  secrets: APART,
  capabilities: { is: 'kept', note: '_meta["rlp/capabilities"]' },
  requires_confirmation: {
    is: 'lost',
    note: 'MCP has no field for it: the runtime behind the server asks, not the client',
  },
  requires_user_interaction: NO_WORD,
  is_read_only: hint('readOnlyHint'),
  is_destructive: hint('destructiveHint'),
  is_open_world: hint('openWorldHint'),
  is_concurrency_safe: NO_WORD,
  strict: NO_WORD,
  budget: { is: 'kept', note: '_meta["rlp/budget"]' },
  tags: { is: 'kept', note: '_meta["rlp/tags"]' },
  deferred: NO_WORD,
  max_inline_chars: NO_WORD,
  extensions: NO_WORD,
  record: NO_WORD,
}
