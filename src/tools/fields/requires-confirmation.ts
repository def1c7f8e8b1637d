import { transportKind } from '../transports/index.ts'
import { lostBecause, SWITCH, type ToolField } from './field.ts'

export const requiresConfirmation = {
  ...SWITCH,
  at: ['requires_confirmation'],
  // If a call changes something, the entry says "false" too: it shows that the author decided.
  isDecided: ({ transport }) => transportKind(transport).shown.changing(transport) !== undefined,
  flags: {
    'requires-confirmation': { type: 'boolean', describe: 'a person is asked before each call' },
  },
  fates: {
    openai: lostBecause('OpenAI has no field for it: the host that runs the call has to ask'),
    mcp: lostBecause('MCP has no field for it: the runtime behind the server asks, not the client'),
    'agent-tool': 'approval_required',
    agentcli: lostBecause('agentcli never asks before a call'),
  },
} as const satisfies ToolField<boolean>
