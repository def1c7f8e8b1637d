import { LIST, type ToolField, UNKNOWN } from './field.ts'

export const tags = {
  ...LIST,
  at: ['observability', 'tags'],
  flags: { tag: { type: 'strings', placeholder: 'TAG', describe: 'word for traces and audit records' } },
  fates: {
    ...UNKNOWN,
    mcp: '_meta["rlp/tags"]',
    'agent-tool': 'annotations.tags',
  },
} as const satisfies ToolField<readonly string[]>
