// Finds the lists in a schema that do not say what they hold. OpenAI refuses a request with one such tool, with or without `strict`, and VS
// Code a tool that it gets over MCP. In JSON Schema `items: {}` says the same.
import { type SchemaObject, subschemasOf } from '../schema/walk.ts'

export function isBareList({ type, items }: SchemaObject): boolean {
  return items === undefined && [type].flat().includes('array')
}

/** These lists, each with its place. */
export function bareLists(root: SchemaObject) {
  return subschemasOf(root).flatMap(({ pointer, schema }) =>
    typeof schema === 'object' && isBareList(schema) ? [{ pointer, schema }] : [],
  )
}
