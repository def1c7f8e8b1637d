import { AS_IT_IS, type ToolField } from './field.ts'

export const description = {
  ...AS_IT_IS,
  at: ['description'],
  flags: {
    description: {
      type: 'string',
      placeholder: 'TEXT',
      describe: 'what it does, for a person and a model',
    },
  },
  fates: {
    openai: 'description',
    mcp: 'description',
    'agent-tool': 'description',
    agentcli: 'description',
  },
} as const satisfies ToolField<string>
