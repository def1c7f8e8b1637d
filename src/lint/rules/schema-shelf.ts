// Where the schemas of an agent are looked up by name: files, and the entries of each tool's `schema_refs`.
import type { Agent } from '../../model/agent.ts'
import type { Tool } from '../../model/tools.ts'
import { toolsOf } from './agent-tools.ts'
import { once } from './once.ts'
import { type AgentSchema, schemasOf } from './schemas.ts'

/** The places in which schemas are looked up by name. */
export interface Shelf {
  readonly files: ReadonlyMap<string, AgentSchema>
  readonly entries: ReadonlyMap<Tool, ReadonlyMap<string, AgentSchema>>
  /** Every id that is in the `schema_refs` of a tool. */
  readonly ids: ReadonlySet<string>
  hasFile(path: string): boolean
}

export const shelfOf: (agent: Agent) => Shelf = once(makeShelf)

function makeShelf(agent: Agent): Shelf {
  const files = new Map<string, AgentSchema>()
  const entries = new Map<Tool, Map<string, AgentSchema>>()
  for (const schema of schemasOf(agent)) {
    const { role, file, tool, at } = schema
    if (role === 'file') files.set(file, schema)
    if (role !== 'entry' || tool === undefined) continue
    const own = entries.get(tool) ?? new Map<string, AgentSchema>()
    entries.set(tool, own.set(String(at.at(-1)), schema))
  }
  return {
    files,
    entries,
    ids: new Set(toolsOf(agent).flatMap(({ tool }) => Object.keys(tool.schemaRefs))),
    hasFile: path => agent.files.get(path) !== undefined,
  }
}
