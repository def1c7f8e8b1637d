import type { JsonSchema } from '../../model/tools.ts'
import { AS_IT_IS, keptAs, lostBecause, type ToolField } from './field.ts'

export const resultSchema = {
  ...AS_IT_IS,
  at: ['result_schema'],
  flags: {
    'result-schema': {
      type: 'string',
      placeholder: 'SCHEMA',
      describe: 'the same, for what the tool answers',
    },
  },
  fates: {
    openai: lostBecause('OpenAI is not told what a function answers'),
    mcp: keptAs('outputSchema, where its root is an object', 'lost'),
    'agent-tool': keptAs('output_schema, with references put in their place', 'lost'),
    agentcli: { is: 'lost' },
  },
} as const satisfies ToolField<JsonSchema>
