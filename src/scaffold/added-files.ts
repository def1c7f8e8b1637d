// Agent + new tools → the new texts of its files, not yet judged.
import { isDeepStrictEqual } from 'node:util'
import { elementsIn, INTERFACES_FILE, isRecordObject } from '../agent-tool/records.ts'
import { appendAllToArray } from '../json/change.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Tool } from '../model/tools.ts'
import { editPolicy } from '../policy/edit.ts'
import { INFERRED_KEY } from '../tools/extensions.ts'
import { writeToolV1 } from '../tools/v1.ts'
import { grant } from './grant.ts'

/** A tool, and the facts that its entry cannot hold. */
export interface NewTool {
  readonly tool: Tool
  /** Keys of the entry whose values are not stated. */
  readonly inferred: readonly string[]
  /** Whether the author decided against a confirmation: only then `false` is written. */
  readonly isDecided: boolean
  /** Facts for interfaces.json, as fields of a tool_interface; possibly none. */
  readonly facts: Readonly<Record<string, unknown>>
}

export interface PolicyChange {
  readonly text: string
  /** The removed and added lines of the file, as written. */
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** Of tools.json; a missing file is made as the existing tooling makes it. */
export function toolsText(agent: Agent, added: readonly NewTool[]): string {
  const document = agent.documents.get(TOOLS_FILE)
  const entries = added.map(entryOf)
  // An empty list is valid, and changes nothing.
  if (document !== undefined && entries.length === 0) return document.text
  return document === undefined
    ? JSON.stringify({ version: 1, tools: entries }, null, 2)
    : appendAllToArray(document, ['tools'], entries)
}

function entryOf({ tool, inferred, isDecided }: NewTool): Record<string, unknown> {
  const { requires_confirmation, ...entry } = writeToolV1(tool)
  const isSaid = requires_confirmation === true || (requires_confirmation !== undefined && isDecided)
  const whole = isSaid ? writeToolV1(tool) : entry
  return inferred.length > 0 ? { ...whole, [INFERRED_KEY]: inferred } : whole
}

/**
 * Of interfaces.json; undefined if there are no facts.
 * @throws RlpError EXISTS for a tool that already has records; NOT_EDITABLE
 */
export function interfacesText(agent: Agent, added: readonly NewTool[]): string | undefined {
  const records = added.flatMap(({ tool, facts }) =>
    Object.keys(facts).length === 0
      ? []
      : { schema_version: '0.2.0', interface_id: `tool_interface:${tool.id}`, tool_id: tool.id, ...facts },
  )
  const [first] = records
  if (first === undefined) return undefined
  const document = agent.documents.get(INTERFACES_FILE)
  if (document === undefined) return `${JSON.stringify(records, null, 2)}\n`
  const known = new Set(
    (elementsIn(document.value) ?? []).map(({ value }) => isRecordObject(value) && value['tool_id']),
  )
  const taken = records.find(({ tool_id }) => known.has(tool_id))
  if (taken !== undefined)
    throw new RlpError(
      'EXISTS',
      `Cannot add the tool "${taken.tool_id}" to "${agent.label}": ${INTERFACES_FILE} speaks of a tool of this id`,
      { hint: `Choose another id, or remove its records from ${INTERFACES_FILE}` },
    )
  return appendAllToArray(document, Array.isArray(document.value) ? [] : ['records'], records)
}

/**
 * Undefined if policy.caps already grants everything that the tools need.
 * @param agent whose policy has been read
 * @throws RlpError USAGE for a need that no policy can grant
 */
export function policyChange(agent: Agent, tools: readonly Tool[]): PolicyChange | undefined {
  const document = agent.documents.get(POLICY_FILE)
  if (agent.policy === undefined || document === undefined)
    throw new TypeError('refuseUnreadable was not called')
  const { policy, impossible } = grant(agent.policy, tools)
  const [first] = impossible
  if (first !== undefined)
    throw new RlpError('USAGE', `Cannot grant "${first.capability}": no entry of ${POLICY_FILE} means this`, {
      hint: 'Name what is needed, for example net:api.mail.example',
    })
  if (isDeepStrictEqual(policy, agent.policy)) return undefined
  const text = editPolicy(document, policy)
  const [before, after] = [document.text.split(/\r?\n/), text.split(/\r?\n/)]
  return {
    text,
    removed: before.filter(line => !after.includes(line)),
    added: after.filter(line => !before.includes(line)),
  }
}
