// A reviewer who reads a tool's list of capabilities believes that it is complete, so what the tool's transport implies is written
// into the list too. Lint says so where a list is not complete.

import { isSameData } from '../json/same-data.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { undeclared } from '../policy/undeclared.ts'
import { grant } from './grant.ts'

/** Without a list the transport alone decides, so none is begun. @param policy of the agent */
export function withWholeList(tool: Tool, policy: Policy): Tool {
  return tool.capabilities.length === 0 ? tool : completed(tool, policy)
}

/** Follows a change of the transport or of the list. A list that the author left alone loses what the old transport implied. */
export function withListOfChange(old: Tool, tool: Tool, policy: Policy): Tool {
  if (!isSameData(old.capabilities, tool.capabilities)) return withWholeList(tool, policy)
  if (old.capabilities.length === 0 || isSameData(old.transport, tool.transport)) return tool
  const stated = old.capabilities.filter(one => !isImplied(one, old, policy))
  return completed({ ...tool, capabilities: stated }, policy)
}

function completed(tool: Tool, policy: Policy): Tool {
  // In the words of the grant that the tool will have.
  const missing = undeclared(tool, grant(policy, [tool]).policy)
  return missing === undefined ? tool : { ...tool, capabilities: [...tool.capabilities, missing.capability] }
}

function isImplied(capability: string, tool: Tool, policy: Policy): boolean {
  const capabilities = tool.capabilities.filter(one => one !== capability)
  return undeclared({ ...tool, capabilities }, policy)?.capability === capability
}
