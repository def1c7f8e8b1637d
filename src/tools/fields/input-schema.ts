import type { JsonSchema } from '../../model/tools.ts'
import { AS_IT_IS, keptAs, type ToolField } from './field.ts'

/** The types that a field of a short schema may have, as `to:string`. */
export const SHORT_TYPES = ['string', 'integer', 'number', 'boolean', 'object'] as const

/** For messages and help. */
export const FIELD_TYPES = `${SHORT_TYPES.join(', ')}, with [] behind it for a list`

export const inputSchema = {
  ...AS_IT_IS,
  at: ['input_schema'],
  flags: {
    'input-schema': {
      type: 'string',
      placeholder: 'SCHEMA',
      describe: `what it takes: fields as 'to:string (who gets it), n:integer?', nothing, anything, schema:<id>, schemas/<file>.json, JSON Schema, or @file with it; types of fields: ${FIELD_TYPES}`,
    },
  },
  fates: {
    openai: keptAs(
      'parameters, with references put in their place; no oneOf, anyOf, allOf, enum or not at the root, and no pattern with look-around, \\p or named groups',
      'inferred',
      'lost',
    ),
    mcp: keptAs('inputSchema, with references put in their place; an object at its root', 'inferred', 'lost'),
    'agent-tool': keptAs('model_input_schema, with references put in their place', 'lost'),
    agentcli: keptAs(
      'schema, with references put in their place; without what OpenAI refuses, to which agentcli passes it on',
      'inferred',
      'lost',
    ),
  },
} as const satisfies ToolField<JsonSchema>
