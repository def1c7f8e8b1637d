// The tools of an agent for its rules, in their order and by their ids.
import type { Agent } from '../../model/agent.ts'
import type { PlacedTool, Tool } from '../../model/tools.ts'
import { once } from './once.ts'

/** The tools of tools.json, each with its position there. Where the file is broken, those that are as its schema says. */
export const toolsOf = once(
  (agent: Agent): readonly PlacedTool[] =>
    agent.tools?.tools.map((tool, index) => ({ tool, index })) ?? agent.soundTools ?? [],
)

/** If several tools have the same id, the first one counts. */
export const toolsById = once((agent: Agent): ReadonlyMap<unknown, PlacedTool> => {
  const tools = new Map<unknown, PlacedTool>()
  for (const placed of toolsOf(agent)) if (!tools.has(placed.tool.id)) tools.set(placed.tool.id, placed)
  return tools
})

/** The tool at a position in tools.json; undefined if there is none, or a broken one. */
export function toolAt(agent: Agent, index: unknown): Tool | undefined {
  return byIndex(agent).get(index)
}

const byIndex = once(
  (agent: Agent): ReadonlyMap<unknown, Tool> =>
    new Map(toolsOf(agent).map(({ tool, index }) => [index, tool])),
)
