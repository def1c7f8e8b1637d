import { LEFT_TO_THE_HOST, LIST, lostBecause, type ToolField } from './field.ts'

export const secrets = {
  ...LIST,
  at: ['secrets'],
  flags: { secret: { type: 'strings', placeholder: 'ID', describe: 'a secret that it needs' } },
  fates: {
    ...LEFT_TO_THE_HOST,
    'agent-tool': 'required_credentials and credential_refs',
    agentcli: lostBecause('agentcli knows variables of its own environment only'),
  },
} as const satisfies ToolField<readonly string[]>
