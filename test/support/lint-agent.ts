// Agents for tests of lint, and what its rules find in them. The tree is sound but for one warning, and takes lines for its manifest.
import assert from 'node:assert/strict'
import { read } from '../../src/agent/read-agent.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { rulesOfRun } from '../../src/lint/rules/index.ts'
import { type Rule, UNPREPARED } from '../../src/lint/rules/rule.ts'
import { Walk } from '../../src/lint/run-rules.ts'
import { STAGES } from '../../src/lint/stages.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { Problem } from '../../src/model/finding.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { STUB_WASM } from '../../src/wasm/stub.ts'
import { agentTree, type Tree } from './agent.ts'
import { memoryFiles } from './memory.ts'

/** The warning that {@link treeWith} has: its entry is the stub of scaffold. */
export const STUB = 'wasm/stub'

/** The files of the agent `mini`. */
export function treeWith(toml = '', files: Tree = {}): Tree {
  const tree = agentTree({ files: { 'bin/mini.wasm': STUB_WASM, ...files } })
  return { ...tree, 'manifest.toml': `${tree['manifest.toml']}\n${toml}\n` }
}

/** A `[lint]` table with one entry. */
export function suppressing(members: string): string {
  return `[lint]\nsuppress = [{ ${members} }]`
}

/** Returns what one rule finds, in the order of the walk. */
export function problemsOf(rule: Rule, agent: Agent, prepared = UNPREPARED): Problem[] {
  const problems: Problem[] = []
  const walk = new Walk(agent, [rule], prepared, STAGES, (_, problem) => problems.push(problem))
  while (walk.next());
  return problems
}

/** With two that run only if they are named. */
export const SCHEMA_RULES = rulesOfRun([
  { rule: 'schema/old-dialect' },
  { rule: 'schema/no-description' },
]).filter(({ id }) => id.startsWith('schema/'))
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
    lintAgent(agent, prepared, [rule]).map(({ message, fix }) => `${message}: ${fix}`),
  )
}
