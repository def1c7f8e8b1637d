// Two agents → what changed from one to the other: permissions first, then tools, schemas and files. Pure.

import { isDigest } from '../agent/manifest.ts'
import { restrictionsIn, safetyIn } from '../caps/interface-records.ts'
import { type Agent, MANIFEST_FILE, PENDING_DIGEST, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Permissions, Widening } from '../model/permissions.ts'
import { writePath } from '../text/shell-words.ts'
import { changedFiles, type FileDifference } from './diff-files.ts'
import {
  changedFields,
  changedTools,
  type FieldDifference,
  type SchemaDifference,
  type ToolDifference,
} from './diff-tools.ts'
import { titlesIn } from './told.ts'
import { permissionsOf, widen } from './widen.ts'

export interface AgentDiff extends Widening {
  /** Name, version, variant and kind. */
  readonly agent: readonly FieldDifference[]
  readonly tools: readonly ToolDifference[]
  /** The tools that both have are in another order. */
  readonly isReordered: boolean
  readonly schemas: readonly SchemaDifference[]
  /** Without signatures: the signers of a bundle are not part of its content. */
  readonly files: readonly FileDifference[]
}

/**
 * @param before read with every digest
 * @param after the same
 * @throws RlpError LINT_FAILED if manifest, policy or tools of one of them cannot be read: then its permissions are unknown
 */
export function diffAgents(before: Agent, after: Agent): AgentDiff {
  const tools = changedTools(toolsOf(before), toolsOf(after))
  return {
    ...widen(mayOf(before), mayOf(after)),
    agent: changedFields(factsOf(before), factsOf(after)),
    ...tools,
    files: changedFiles(before, after),
  }
}

/** Whether there is no difference at all. */
export function isSame(diff: AgentDiff): boolean {
  const { widened, narrowed, agent, tools, isReordered, schemas, files } = diff
  return [widened, narrowed, agent, tools, schemas, files].every(list => list.length === 0) && !isReordered
}

/** What an agent may do; undefined if its manifest, policy or tools cannot be read. */
export function readableMay(agent: Agent | undefined): Permissions | undefined {
  const { manifest, policy, tools } = agent ?? {}
  const isWhole = manifest?.entries[0] !== undefined && policy !== undefined && tools !== undefined
  return agent !== undefined && isWhole ? mayOf(agent) : undefined
}

/** A folder's files count, even if their digests are not yet in the manifest. */
export function mayOf(agent: Agent): Permissions {
  const { policy, files } = agent
  const entry = agent.manifest?.entries[0]
  if (entry === undefined) throw unreadable(agent, MANIFEST_FILE)
  if (policy === undefined) throw unreadable(agent, POLICY_FILE)
  toolsOf(agent)
  const blake3 = files.get(entry.path)?.digest ?? statedDigest(entry.blake3) ?? null
  return permissionsOf(agent, blake3)
}

/** Undefined for a digest that is not computed yet, which names no content. */
export function statedDigest(blake3: string | undefined): string | undefined {
  return isDigest(blake3) && blake3 !== PENDING_DIGEST ? blake3.toLowerCase() : undefined
}

function toolsOf(agent: Agent) {
  const { tools, files, documents } = agent
  if (tools === undefined) throw unreadable(agent, TOOLS_FILE)
  const schemas = files.list.filter(({ path }) => /^schemas\/.*\.json$/.test(path))
  const schemaAt = (path: string) => documents.get(path)?.value
  return {
    tools: tools.tools,
    schemaAt,
    recordFields: recordFieldsIn(schemaAt),
    schemaFiles: new Map(schemas.map(({ path, digest }) => [path, digest])),
  }
}

function unreadable({ label, form }: Agent, file: string): RlpError {
  return new RlpError('LINT_FAILED', `Cannot compare "${label}": its ${file} cannot be read`, {
    hint: `Run rlp agent ${form === 'source' ? 'lint' : 'verify'} ${writePath(label)}, which says why`,
  })
}

function factsOf({ manifest }: Agent): Record<string, unknown> {
  const { name, version, variant, kind } = manifest ?? {}
  return { name, version, variant, kind }
}

/**
 * A record grants nothing, and may restrict: a restriction that comes or goes is a difference, also where tools.json stays the same.
 *
 * @param fileAt the parsed JSON file of the agent at a path, if there is one
 */
function recordFieldsIn(fileAt: (path: string) => unknown): (id: string) => Record<string, unknown> {
  const restrict = restrictionsIn(fileAt)
  const safetyOf = safetyIn(fileAt)
  const titleOf = titlesIn(fileAt)
  return id => {
    const facts = Object.entries(safetyOf(id) ?? {}).map(([key, value]) => [`interfaces.${key}`, value])
    return { title: titleOf(id), restricted: restrict(id).reason, ...Object.fromEntries(facts) }
  }
}
