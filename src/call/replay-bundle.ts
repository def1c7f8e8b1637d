// An agent whose tools may be called → the facts that a trace is compared with.

import type { CallableAgent } from './context.ts'
import type { ReplayBundle } from './replay.ts'
import { bundleDigest, resultSchemaDigest, schemaDigest } from './traced.ts'

export function replayBundle(agent: CallableAgent): ReplayBundle {
  const tools = new Map(agent.tools.map(tool => [tool.id, tool]))
  const denied = new Map(agent.denied.map(one => [one.id, one]))
  return {
    digest: bundleDigest(agent),
    tool(id) {
      const tool = tools.get(id)
      if (tool !== undefined)
        return { inputSchema: schemaDigest(tool), resultSchema: resultSchemaDigest(tool) }
      const refusal = denied.get(id)
      return refusal && { denied: refusal.reason }
    },
  }
}
