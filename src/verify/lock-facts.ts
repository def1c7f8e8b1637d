// An agent's contents → what a lock pins of them: every grant of policy.caps, and a digest of each tool with its schemas.
import { blake3Hex } from '../bundle/blake3.ts'
import { canonicalJson } from '../json/canonical.ts'
import { sorted } from '../lock-file/write.ts'
import { type Agent, TOOLS_FILE } from '../model/agent.ts'
import type { LockedAgent } from '../model/lock.ts'
import { isTable } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import { policyGrants } from '../policy/ceiling.ts'
import { linkSchemas } from '../schema/link.ts'
import { isSchemaFile, resolverIn } from '../schema/reference.ts'

export type LockFacts = Pick<LockedAgent, 'caps' | 'tools'>

/** Undefined if policy.caps or tools.json was not read. */
export function lockFacts(agent: Agent): LockFacts | undefined {
  const { policy, tools, documents } = agent
  if (policy === undefined || tools === undefined) return undefined
  const entries = entriesIn(documents.get(TOOLS_FILE)?.value)
  const fileAt = (path: string) => documents.get(path)?.value
  const digests = new Map<string, string>()
  for (const tool of tools.tools) {
    digests.set(tool.id, toolDigest(tool, entries.get(tool.id), fileAt))
  }
  // No lock can list an unknown family: no rule allows it, so its bundle is never accepted.
  return { caps: sorted(policyGrants(policy).map(({ text }) => text)), tools: digests }
}

/** BLAKE3 of RFC 8785 JSON: the entry as tools.json has it, and each file below schemas/ that its schemas lead to. */
function toolDigest(tool: Tool, entry: unknown, fileAt: (path: string) => unknown): string {
  const text = canonicalJson(entry)
  const schemas = Object.fromEntries(REFERENCE.test(text) ? filesOf(tool, fileAt) : [])
  return blake3Hex(new TextEncoder().encode(`{"schemas":${canonicalJson(schemas)},"tool":${text}}`))
}

/** Most tools refer to nothing, and following references takes many times as long as hashing. */
const REFERENCE = /"\$ref":/

function filesOf({ inputSchema, resultSchema, schemaRefs }: Tool, fileAt: (path: string) => unknown) {
  const resolve = resolverIn(schemaRefs, fileAt)
  const documents = [inputSchema, resultSchema].flatMap(
    schema => linkSchemas(schema, TOOLS_FILE, resolve).documents,
  )
  return documents.flatMap(({ path }) => (isSchemaFile(path) ? [[path, fileAt(path)] as const] : []))
}

/** The entries as they are written: members that this build does not know count as well. */
function entriesIn(value: unknown): Map<unknown, unknown> {
  const list = isTable(value) && Array.isArray(value['tools']) ? value['tools'] : []
  return new Map(list.map((entry: unknown) => [isTable(entry) ? entry['id'] : undefined, entry]))
}
