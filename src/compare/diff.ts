// Two agents → what changed from one to the other: permissions first, then tools, schemas and files. Pure.

import { type Agent, MANIFEST_FILE, POLICY_FILE, SIGNATURE_FOLDER, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { byPath, type FileEntry } from '../model/files.ts'
import type { Permissions, Widening } from '../model/permissions.ts'
import { recordFieldsIn } from './diff-records.ts'
import {
  changedFields,
  changedTools,
  type FieldDifference,
  type SchemaDifference,
  type ToolDifference,
} from './diff-tools.ts'
import { permissionsOf, widen } from './widen.ts'

export interface FileDifference {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly before: FileFacts | null
  readonly after: FileFacts | null
}

export interface FileFacts {
  readonly size: number
  readonly blake3: string
}

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
export function isSame({ widened, narrowed, agent, tools, isReordered, schemas, files }: AgentDiff): boolean {
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
  const { manifest, policy, files } = agent
  const entry = manifest?.entries[0]
  if (manifest === undefined || entry === undefined) throw unreadable(agent, MANIFEST_FILE)
  if (policy === undefined) throw unreadable(agent, POLICY_FILE)
  toolsOf(agent)
  const blake3 = files.get(entry.path)?.digest ?? entry.blake3 ?? ''
  return permissionsOf({ ...agent, manifest: { ...manifest, entries: [{ ...entry, blake3 }] } })
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
    hint: `Run rlp agent ${form === 'source' ? 'lint' : 'verify'} ${label}, which says why`,
  })
}

function factsOf({ manifest }: Agent): Record<string, unknown> {
  const { name, version, variant, kind } = manifest ?? {}
  return { name, version, variant, kind }
}

function changedFiles(before: Agent, after: Agent): FileDifference[] {
  const isPart = ({ path }: FileEntry) => !path.startsWith(`${SIGNATURE_FOLDER}/`)
  const list = [...before.files.list, ...after.files.list.filter(({ path }) => !before.files.get(path))]
  return list
    .filter(isPart)
    .sort(byPath)
    .flatMap(({ path }): FileDifference[] => {
      const [old, now] = [factsOfFile(before.files.get(path)), factsOfFile(after.files.get(path))]
      if (old !== null && now !== null && old.blake3 === now.blake3) return []
      const change = old === null ? 'added' : now === null ? 'removed' : 'changed'
      return [{ path, change, before: old, after: now }]
    })
}

function factsOfFile(entry: FileEntry | undefined): FileFacts | null {
  return entry === undefined ? null : { size: entry.size, blake3: entry.digest ?? '' }
}
