// A new tool whose author lists capabilities → the same tool with what its transport implies in the list: a reviewer who reads the list
// believes that it is complete, and lint says where it is not.
import { undeclared } from '../format/capability/undeclared.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { grant } from './grant.ts'

/** Without a list the transport alone decides, so none is begun. @param policy of the agent */
export function withWholeList(tool: Tool, policy: Policy): Tool {
  if (tool.capabilities.length === 0) return tool
  // In the words of the grant that the tool will have.
  const missing = undeclared(tool, grant(policy, [tool]).policy)
  return missing === undefined ? tool : { ...tool, capabilities: [...tool.capabilities, missing.capability] }
}
