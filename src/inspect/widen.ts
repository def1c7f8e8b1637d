// What two bundles may do → what only the second may do, and what only the first may do (docs/upgrades.md#it-may-do-more).
// Pure.
import { restricted, restrictionsIn } from '../caps/interface-records.ts'
import type { Agent } from '../model/agent.ts'
import type {
  Change,
  FilledArgument,
  Permissions,
  ToldOfTool,
  ToolPermission,
  Widening,
} from '../model/permissions.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { grantsOf } from '../policy/ceiling.ts'
import { isGranted } from '../policy/containment.ts'
import { CAPABILITY_FAMILIES, capabilityFamily, isFamily } from '../policy/families/index.ts'
import { grantsAny } from '../policy/write.ts'
import { NO_GRANTS } from '../scaffold/grant.ts'
import { transportKind } from '../tools/transports/index.ts'
import { filledArguments, roomForSchemas } from './filled-arguments.ts'
import { toldIn } from './told.ts'
import { widenedTools } from './widen-tools.ts'

/** No permissions: a first install is compared with this. */
const NOTHING: Permissions = { policy: NO_GRANTS, tools: [], entry: null }

/** @param agent from a verified bundle */
export function permissionsOf(
  agent: Agent,
  entry: string | null = agent.manifest?.entries[0]?.blake3 ?? null,
): Permissions {
  const { manifest, policy, tools, documents } = agent
  if (policy === undefined || tools === undefined || manifest?.entries[0] === undefined)
    throw new TypeError('a verified bundle has a policy, tools and an entry')
  const schemaAt = (path: string) => documents.get(path)?.value
  const restrict = restrictionsIn(schemaAt)
  const room = roomForSchemas()
  const told = toldIn(agent)
  return {
    policy,
    tools: tools.tools.map(tool => {
      const restriction = restrict(tool.id)
      return {
        ...toolPermission(restricted(tool, restriction), filledArguments(tool, schemaAt, room), told(tool)),
        ...(restriction.reason !== undefined && { isWithheld: true }),
      }
    }),
    entry: entry?.toLowerCase() ?? null,
  }
}

/** What calling a tool does, and what a model is told of it. */
function toolPermission(tool: Tool, fills: readonly FilledArgument[], told: ToldOfTool): ToolPermission {
  const { id, transport, secrets, requiresConfirmation: confirm } = tool
  return { id, ...transportKind(transport).act.of(tool), secrets, confirm, fills, told }
}

/**
 * The differences. The order of lists and the spelling of equal values do not count.
 * @param before undefined for a first install: then everything is new
 */
export function widen(before: Permissions | undefined, after: Permissions): Widening {
  const old = before ?? NOTHING
  const tools = widenedTools(old.tools, after.tools, before === undefined)
  return {
    widened: [
      ...newGrants(old.policy, after.policy),
      ...tools.widened,
      ...(before === undefined ? [] : changedEntry(before, after)),
    ],
    narrowed: [...newGrants(after.policy, old.policy), ...tools.narrowed],
    described: tools.described,
  }
}

/** Grants that are new for any known reader. An entry without port means every port to some, and the usual port to others. */
function newGrants(before: Policy, after: Policy): Change[] {
  const same = new Set(grantsOf(before))
  // Some readers let `fs` write, so reading alone does not include it.
  const full: Policy = { ...before, fsRo: [] }
  return [...new Set(grantsOf(after))]
    .filter(grant => !same.has(grant) && !isCovered(grant, before, full))
    .map(grant => ({ kind: 'grant', message: grantPhrase(grant) }))
}

function isCovered(grant: string, before: Policy, full: Policy): boolean {
  if (grant === 'net:allow_http') return false
  const need = { capability: grant, at: [], from: 'declared' } as const
  const policy = grant.startsWith('fs:') ? full : before
  return isGranted(need, policy) || (policy.net.allowHttp && isGranted({ ...need, scheme: 'http' }, policy))
}

/** The entry's code cannot be compared. If it may reach out, changed code counts as a new permission until a person has reviewed it. */
function changedEntry(before: Permissions, after: Permissions): Change[] {
  const reaches = CAPABILITY_FAMILIES.flatMap(({ family, words: { reach } }) =>
    reach !== undefined && grantsAny(after.policy, family) ? reach : [],
  )
  const isKnown = before.entry !== null && after.entry !== null
  if (reaches.length === 0 || (isKnown && before.entry === after.entry)) return []
  const what = isKnown
    ? 'has another program inside'
    : 'may have another program inside (the digest of one is not known)'
  return [{ kind: 'entry', message: `${what}, which may ${reaches.join(' and ')}` }]
}

/** What a grant allows: `may reach …`. */
export function grantPhrase(grant: string): string {
  const [, family = '', scope] = /^([^:]*)(?::(.*))?$/s.exec(grant) ?? []
  if (isFamily(family)) return capabilityFamily(family).words.may(scope)
  return `may use ${grant}, a capability that this build does not know`
}
