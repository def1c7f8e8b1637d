import { keptAs, LIST, type ToolField, UNKNOWN } from './field.ts'

export const capabilities = {
  ...LIST,
  at: ['capabilities'],
  flags: {
    capability: {
      type: 'strings',
      placeholder: 'CAP',
      describe: 'family or family:scope that it needs',
    },
  },
  fates: {
    ...UNKNOWN,
    mcp: '_meta["rlp/capabilities"]',
    'agent-tool': keptAs(
      'capability_refs with what the transport implies, access_kinds, network_scope',
      'inferred',
    ),
  },
} as const satisfies ToolField<readonly string[]>
