// agentcli tools → OpenAI's list of functions, byte for byte as agentcli sends it.
import { compactJson, jsonString } from './go-json.ts'
import type { AgentcliTool } from './load.ts'

/** One tool of OpenAI's list. `parameters` is the schema as written, of any type. */
export interface OpenAiTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown }
}

/** As values, in file order: an empty description and an absent schema are left out, `null` is not. */
export function toOpenAi(tools: readonly AgentcliTool[]): OpenAiTool[] {
  return tools.map(({ name, description, schema }) => ({
    type: 'function',
    function: {
      name,
      ...(description !== '' && { description }),
      ...(schema !== undefined && { parameters: JSON.parse(schema) as unknown }),
    },
  }))
}

/** As JSON text: numbers, escapes and repeated keys of a schema stay as written, and `<`, `>`, `&` are escaped. */
export function toOpenAiJson(tools: readonly AgentcliTool[]): string {
  const entries = tools.map(({ name, description, schema }) => {
    const members = [
      `"name":${jsonString(name)}`,
      ...(description === '' ? [] : [`"description":${jsonString(description)}`]),
      ...(schema === undefined ? [] : [`"parameters":${compactJson(schema)}`]),
    ]
    return `{"type":"function","function":{${members.join(',')}}}`
  })
  return `[${entries.join(',')}]`
}
