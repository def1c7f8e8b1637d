import { AS_IT_IS, keptAs, type ToolField } from './field.ts'

/** The names that OpenAI accepts; agentcli accepts any, and passes them on to OpenAI. */
const FUNCTION_NAME = keptAs('name; "." becomes "__", other characters "_", at most 64', 'renamed')

export const id = {
  ...AS_IT_IS,
  at: ['id'],
  flags: {
    id: { type: 'string', placeholder: 'ID', describe: 'stable name, unique in the agent: mail.smtp_send' },
  },
  fates: {
    openai: FUNCTION_NAME,
    mcp: keptAs('name; characters other than letters, digits and _ . - become "_", at most 128', 'renamed'),
    'agent-tool': keptAs(
      'tool_id; namespace is the text before the last dot, name the text after it; native_ids has names elsewhere',
      'inferred',
    ),
    agentcli: FUNCTION_NAME,
  },
} as const satisfies ToolField<string>
