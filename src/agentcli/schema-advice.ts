// Finds what a model's provider would refuse in the schema of an agentcli tool, which agentcli never checks.
import type { Pointer } from '../model/document.ts'
import { checkJsonSchema } from '../schema/check.ts'
import { dialectOf } from '../schema/dialect.ts'
import { shortText } from '../text/quote.ts'

interface SchemaAdvice {
  readonly about: 'schema'
  readonly at: Pointer
  readonly message: string
  readonly fix: string
}

/** More problems of one schema would not help before these are fixed. */
const MOST = 5

/** @param text well-formed JSON */
export function schemaAdvice(text: string, at: Pointer): SchemaAdvice[] {
  const schema: unknown = JSON.parse(text)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    const message = `The schema must be an object, found ${shortText(text, 20)}`
    return [{ about: 'schema', at, message, fix: 'Write { "type": "object", … }, or leave it out' }]
  }
  const found: SchemaAdvice[] = []
  if ((schema as { readonly type?: unknown }).type !== 'object') {
    const message = 'The schema does not say that the arguments are an object'
    found.push({ about: 'schema', at, message, fix: 'Add "type": "object"' })
  }
  // Older dialects have other meta-schemas.
  if (dialectOf(schema) !== '2020-12') return found
  for (const { pointer, message, fix } of checkJsonSchema(schema).slice(0, MOST)) {
    found.push({ about: 'schema', at: [...at, ...pointer], message, fix })
  }
  return found
}
