// Agents for tests of the rules about schemas, and what those rules find in them.
import assert from 'node:assert/strict'
import { read } from '../../src/format/agent/read-agent.ts'
import { USUAL_RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { agentTree } from './agent.ts'
import { memoryFiles } from './memory.ts'
import { problemsOf } from './problems.ts'

export const SCHEMA_RULES = USUAL_RULES.filter(({ id }) => id.startsWith('schema/'))
/** As text, because of `then` and `$ref`, and because schemas come as text. */
export const json = (text: string) => JSON.parse(text) as JsonSchema
export const named = (count: number, make: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]))

export interface Parts {
  readonly input?: unknown
  readonly result?: unknown
  readonly refs?: Readonly<Record<string, unknown>>
  readonly files?: Readonly<Record<string, unknown>>
  /** At the end of the manifest. */
  readonly toml?: string
  /** Further tools, by their input schemas. */
  readonly more?: readonly unknown[]
}

export const CLOSED = { type: 'object', additionalProperties: false }

export function agentOf({
  input = CLOSED,
  result = { type: 'object' },
  refs,
  files = {},
  toml = '',
  more = [],
}: Parts): Agent {
  const tool = (id: string, input: unknown, refs: unknown) => ({
    id,
    description: `Does ${id}`,
    transport: { kind: 'http', method: 'GET', url: 'https://a.example/' },
    input_schema: input,
    result_schema: result,
    ...(refs !== undefined && { schema_refs: refs }),
  })
  const tools = [
    tool('first', input, refs),
    ...more.map((input, index) => tool(`more${index}`, input, undefined)),
  ]
  const texts = Object.entries(files).map(([path, value]) => [path, JSON.stringify(value)])
  const tree = agentTree({
    files: { 'tools.json': JSON.stringify({ version: 1, tools }), ...Object.fromEntries(texts) },
  })
  const agent = read(memoryFiles({ ...tree, 'manifest.toml': `${tree['manifest.toml']}\n${toml}` }), 'mini')
  assert.ok(agent.tools, 'tools.json could not be read')
  return agent
}

/** `rule place`, the place from the input schema of the first tool where it is in there. */
export function found(agent: Agent): string[] {
  return SCHEMA_RULES.flatMap(rule =>
    problemsOf(rule, agent).map(({ file, place }) => {
      const pointer = place !== undefined && 'pointer' in place ? place.pointer.join('/') : ''
      return `${rule.id.slice('schema/'.length)} ${`${file}/${pointer}`.replace(/^tools\.json\/tools\/0\/(?:input_schema\/?)?/, '')}`.trim()
    }),
  )
}

export function messages(agent: Agent, id: string, prepared = UNPREPARED): string[] {
  return SCHEMA_RULES.filter(rule => rule.id === `schema/${id}`).flatMap(rule =>
    problemsOf(rule, agent, prepared).map(({ message, fix }) => `${message}: ${fix}`),
  )
}
