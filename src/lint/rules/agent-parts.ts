// Finds the parts of an agent that several rules look at: tools, the lists of policy.caps, and names of secrets. Each is found once, so
// that a rule that is called for each tool looks up and does not search.
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../../model/agent.ts'
import type { Document, Pointer } from '../../model/document.ts'
import { isTable, own } from '../../model/own.ts'
import type { PlacedTool, Tool } from '../../model/tools.ts'
import type { CapabilityFamily } from '../../policy/families/family.ts'
import { CAPABILITY_FAMILIES } from '../../policy/families/index.ts'
import type { PolicyKey } from '../../policy/write.ts'
import { detectToolsKind } from '../../tools/detect-tools.ts'
import { extensionsOf } from '../../tools/extensions.ts'
import { once } from './once.ts'

/** The tools of tools.json, each with its position there. Where the file is broken, those that are as its schema says. */
export const toolsOf = once(
  (agent: Agent): readonly PlacedTool[] =>
    agent.tools?.tools.map((tool, index) => ({ tool, index })) ?? agent.soundTools ?? [],
)

/** The system that a document about tools belongs to. */
export const systemOf = once((document: Document) => ({ kind: detectToolsKind(document.value) }))

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

/** @param value of a document that its schema has accepted */
export function rawTools(value: unknown): readonly object[] {
  return (value as { readonly tools?: readonly object[] } | undefined)?.tools ?? []
}

/**
 * The facts of a tool that an import has made up, by their keys: its file did not say them, so they are no slip of the author. Empty for
 * a tool that was not imported, and outside of tools.json.
 * @param at the place of the tool, or a place in it
 */
export function inferredAt({ documents }: Agent, file: string, [, index]: Pointer): readonly string[] {
  if (file !== TOOLS_FILE || typeof index !== 'number') return []
  return extensionsOf(rawTools(documents.get(TOOLS_FILE)?.value)[index]).inferred
}

export interface PolicyList {
  readonly key: PolicyKey
  /** Index in the file → what is granted. Empty if the value is `true`. */
  readonly entries: ReadonlyMap<number, string>
  /** The same entries and those left out, as they are written. */
  readonly written: readonly string[]
  readonly at: Pointer
}

/** Empty if policy.caps could not be read. */
export const policyLists: (agent: Agent) => readonly PolicyList[] = once(readLists)

function readLists({ policy, documents }: Agent): PolicyList[] {
  const document = documents.get(POLICY_FILE)
  if (policy === undefined || document === undefined) return []
  const { capabilities } = document.value as { capabilities: Readonly<Record<string, unknown>> }
  return CAPABILITY_FAMILIES.filter(({ scope }) => scope !== 'none').map(family =>
    listAt(family, capabilities),
  )
}

function listAt(
  { family: key, entries }: CapabilityFamily,
  capabilities: Readonly<Record<string, unknown>>,
): PolicyList {
  const value = own(capabilities, key)
  const isInTable = isTable(value)
  const list = isInTable ? value['hosts'] : value
  const written = Array.isArray(list) ? (list as readonly string[]) : []
  const granted = written.map((entry, index) => [index, entries.granted(entry)] as const)
  return {
    key,
    entries: new Map(granted.flatMap(([index, entry]) => (entry === undefined ? [] : [[index, entry]]))),
    written,
    at: ['capabilities', key, ...(isInTable ? ['hosts'] : [])],
  }
}

export interface SecretPlace {
  readonly id: string
  readonly file: string
  readonly pointer: Pointer
}

/** In the order of policy.caps, then of tools.json; the first position of each id. */
export const secretIds: (agent: Agent) => readonly SecretPlace[] = once(findSecretIds)

function findSecretIds(agent: Agent): SecretPlace[] {
  const found = new Map<string, SecretPlace>()
  const add = (id: string, file: string, pointer: Pointer) => {
    if (!found.has(id)) found.set(id, { id, file, pointer })
  }
  const granted = policyLists(agent).find(({ key }) => key === 'secrets')
  for (const [index, id] of granted?.entries ?? []) add(id, POLICY_FILE, [...(granted?.at ?? []), index])
  for (const { index, tool } of toolsOf(agent)) {
    for (const [position, id] of tool.secrets.entries())
      add(id, TOOLS_FILE, ['tools', index, 'secrets', position])
  }
  return [...found.values()]
}
