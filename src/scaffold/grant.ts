// Makes the smallest policy that grants what tools need, the inverse of policy/containment.ts. What a tool's transport implies is written
// into its list of capabilities too, because a reviewer who reads that list believes that it is complete.

import { isSameData } from '../json/same-data.ts'
import type { Family, Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { grantFor, isGranted, notGranted, undeclared, withGrants } from '../policy/containment.ts'
import type { Grant } from '../policy/families/family.ts'
import { capabilityFamily, policyOf } from '../policy/families/index.ts'
import { isUnder, rootOf, rootsOf } from '../policy/folder.ts'
import type { Need } from '../policy/need.ts'

/** A policy that grants nothing. */
export const NO_GRANTS: Policy = policyOf(({ table }) => table.none)

/** A policy that grants more, and the needs that no policy can grant. */
interface Granted {
  readonly policy: Policy
  readonly impossible: readonly Need[]
}

/** Adds what the tools need and the policy lacks. Lists keep their order; new entries go to the end. */
export function grant(policy: Policy, tools: readonly Tool[]): Granted {
  const needs = tools.flatMap(tool => notGranted(tool, policy))
  // Writing includes reading: what it brings is not granted again.
  const writing = withNeeds(policy, needs, opensToWrite)
  const granted = withNeeds(writing, needs, key => !opensToWrite(key))
  return { policy: granted, impossible: needs.filter(need => !isGranted(need, granted)) }
}

function opensToWrite(key: Family): boolean {
  return capabilityFamily(key).opens === 'write'
}

/** All at once: a policy is read again for each change of it, and a stranger's tool may need a hundred thousand things. */
function withNeeds(policy: Policy, needs: readonly Need[], isChosen: (key: Family) => boolean): Policy {
  const lacking = (of: Policy, among = needs) =>
    among.flatMap(need => {
      const grant = isGranted(need, of) ? undefined : grantFor(need)
      return grant !== undefined && isChosen(grant.key) ? { need, grant } : []
    })
  const isHttp = lacking(policy).some(({ grant }) => grant.allowHttp)
  const base = isHttp ? { ...policy, net: { ...policy.net, allowHttp: true } } : policy
  const all = lacking(base)
  const next = withGrants(
    base,
    all.map(({ grant }) => grant),
  )
  // An entry that does not mean its need is not added.
  const meant = all.filter(({ need }) => isGranted(need, next))
  return withGrants(base, eachOnce(meant.map(({ grant }) => grant)))
}

/** Without those that another one includes. */
function eachOnce(grants: readonly Grant[]): Grant[] {
  const isFolder = ({ key }: Grant) => capabilityFamily(key).scope === 'folder'
  const roots = rootsOf(grants.flatMap(grant => (isFolder(grant) ? `${grant.entry}` : [])))
  const once = new Map<string, Grant>()
  for (const grant of grants) {
    const root = isFolder(grant) ? rootOf(`${grant.entry}`) : undefined
    const above = root === undefined || root === '' ? undefined : root.slice(0, root.lastIndexOf('/')) || '/'
    const same = root === undefined ? `${grant.key} ${grant.same}` : `folder ${root}`
    if (!once.has(same) && (above === undefined || !isUnder(roots, above))) once.set(same, grant)
  }
  return [...once.values()]
}

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
