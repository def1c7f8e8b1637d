// The tools of an agent by their ids, for rules that look up the tool that a record is about, or a second one of the same id.
import type { Agent } from '../../model/agent.ts'
import type { Tool } from '../../model/tools.ts'
import { once } from './once.ts'

/** A tool of tools.json and its position there. */
export interface PlacedTool {
  readonly tool: Tool
  readonly index: number
}

/** If several tools have the same id, the first one counts. */
export const toolsById = once((agent: Agent): ReadonlyMap<unknown, PlacedTool> => {
  const tools = new Map<unknown, PlacedTool>()
  for (const [index, tool] of (agent.tools?.tools ?? []).entries())
    if (!tools.has(tool.id)) tools.set(tool.id, { tool, index })
  return tools
})
