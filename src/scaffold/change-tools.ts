// Plans how a tool of an agent is changed or removed: the new texts of its files, and which grants of policy.caps are then not needed.
import { elementsIn, INTERFACES_FILE, isRecordObject, type RecordObject } from '../agent-tool/records.ts'
import { changeValue, removeElements } from '../json/change.ts'
import { valueAt } from '../json/pointer.ts'
import { isSameData } from '../json/same-data.ts'
import { type Agent, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { Document } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import { isTable, own } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import type { Turn } from '../model/turn.ts'
import { isGranted, notGranted } from '../policy/containment.ts'
import { probablyMeant } from '../text/did-you-mean.ts'
import { quoted } from '../text/printable.ts'
import { INFERRED_KEY } from '../tools/extensions.ts'
import { writeToolV1 } from '../tools/v1.ts'
import { firstProblem, lintChanged, type PolicyChange, policyChange, refuseTaken } from './add-tool.ts'
import { NO_GRANTS, withListOfChange } from './grant.ts'

export interface ChangedTools {
  /** The new text of tools.json. */
  readonly tools: string
  /** The new text of interfaces.json; undefined if it stays. */
  readonly interfaces: string | undefined
  /** The new text of policy.caps; undefined if it already grants what the tools need. */
  readonly policy: PolicyChange | undefined
  /** Keys of the entry that change. */
  readonly keys: readonly string[]
  /** Capabilities that policy.caps grants and no tool needs any more. It keeps them: the agent's own code may use them. */
  readonly unused: readonly string[]
}

/**
 * @param change the tool as it shall be, and the id that it has in tools.json
 * @param saysConfirmation whether an option was about `requires_confirmation`
 * @throws RlpError LINT_FAILED for a tool that lint would refuse; USAGE for a need that no policy can grant; NOT_EDITABLE
 */
export async function planEdit(
  agent: Agent,
  change: { readonly was: string; readonly tool: Tool },
  saysConfirmation: boolean,
  turn: Turn,
): Promise<ChangedTools> {
  const { was } = change
  const { document, tools } = toolsOf(agent)
  const index = tools.findIndex(({ id }) => id === was)
  const old = tools[index]
  if (old === undefined) throw new TypeError('the tool was not looked up')
  const tool = agent.policy === undefined ? change.tool : withListOfChange(old, change.tool, agent.policy)
  if (tool.id !== was) refuseTaken(agent, tool.id)
  const [before, after] = [writeToolV1(old), writeToolV1(tool)]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    key =>
      !isSameData(own(before, key), own(after, key)) &&
      // Whether "false" is written down depends on the method. An author who has decided is not overruled by another method.
      (key !== 'requires_confirmation' ||
        saysConfirmation ||
        old.requiresConfirmation !== tool.requiresConfirmation),
  )
  const entry = entryAt(document, index)
  const text = changeValue(document, ['tools', index], withKeys(entry, after, keys))
  const policy = policyChange(agent, [tool])
  const interfaces = renamedRecords(agent, was, tool.id)
  const changes = new Map([[TOOLS_FILE, text]])
  if (interfaces !== undefined) changes.set(INTERFACES_FILE, interfaces)
  // Judged as if it were granted: what is missing is said after writing, as for a new tool.
  if (policy !== undefined) changes.set(POLICY_FILE, policy.text)
  await refuseErrors(agent, changes, `change the tool "${was}" of`, turn)
  return { tools: text, interfaces, policy, keys, unused: unusedBy(agent, [old], [tool]) }
}

/** The entry with the new values of some keys. A fact that was inferred and is stated now is inferred no more. */
function withKeys(
  entry: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Record<string, unknown> {
  const changed = { ...entry }
  for (const key of keys) {
    const value = own(after, key)
    if (value === undefined) delete changed[key]
    else changed[key] = value
  }
  const inferred = own(entry, INFERRED_KEY)
  if (!Array.isArray(inferred)) return changed
  const left = inferred.filter(key => !keys.includes(key))
  if (left.length > 0) changed[INFERRED_KEY] = left
  else delete changed[INFERRED_KEY]
  return changed
}

/** @throws RlpError NOT_EDITABLE; LINT_FAILED if a file would have an error that it has not now */
export async function planRemoval(agent: Agent, ids: readonly string[], turn: Turn): Promise<ChangedTools> {
  const { document, tools } = toolsOf(agent)
  const gone = tools.filter(({ id }) => ids.includes(id))
  const indexes = tools.flatMap(({ id }, index) => (ids.includes(id) ? [index] : []))
  const text = removeElements(document, ['tools'], indexes)
  const interfaces = withoutRecords(agent, ids)
  const changes = new Map([[TOOLS_FILE, text]])
  if (interfaces !== undefined) changes.set(INTERFACES_FILE, interfaces)
  await refuseErrors(agent, changes, 'remove tools of', turn)
  return { tools: text, interfaces, policy: undefined, keys: [], unused: unusedBy(agent, gone, []) }
}

/** Of interfaces.json with the records about a tool under its new id; undefined if nothing changes. */
function renamedRecords({ documents }: Agent, was: string, id: string): string | undefined {
  const document = documents.get(INTERFACES_FILE)
  const all = elementsIn(document?.value) ?? []
  const records = all.filter(({ value }) => isRecordObject(value) && own(value, 'tool_id') === was)
  if (document === undefined || was === id || records.length === 0) return undefined
  const renamed = (value: unknown) => {
    const record = value as RecordObject
    const usual = own(record, 'interface_id') === `tool_interface:${was}`
    return { ...record, tool_id: id, ...(usual && { interface_id: `tool_interface:${id}` }) }
  }
  const [only] = records
  if (only !== undefined && only.at.length === 0) return changeValue(document, [], renamed(only.value))
  const list = all.map(one => (records.includes(one) ? renamed(one.value) : one.value))
  return changeValue(document, Array.isArray(document.value) ? [] : ['records'], list)
}

/** Of interfaces.json without the records about some tools; undefined if there are none. */
function withoutRecords({ documents }: Agent, ids: readonly string[]): string | undefined {
  const document = documents.get(INTERFACES_FILE)
  const indexes = (elementsIn(document?.value) ?? []).flatMap(({ value }, index) =>
    isRecordObject(value) && ids.includes(String(own(value, 'tool_id'))) ? [index] : [],
  )
  if (document === undefined || indexes.length === 0) return undefined
  return removeElements(document, Array.isArray(document.value) ? [] : ['records'], indexes)
}

function unusedBy(agent: Agent, before: readonly Tool[], after: readonly Tool[]): string[] {
  const needsOf = (tools: readonly Tool[]) => tools.flatMap(tool => notGranted(tool, NO_GRANTS))
  const others = (agent.tools?.tools ?? []).filter(({ id }) => before.every(tool => tool.id !== id))
  const needed = new Set(needsOf([...others, ...after]).map(({ capability }) => capability))
  const { policy } = agent
  if (policy === undefined) return []
  const unused = needsOf(before).filter(need => !needed.has(need.capability) && isGranted(need, policy))
  return [...new Set(unused.map(({ capability }) => capability))]
}

async function refuseErrors(
  agent: Agent,
  changes: ReadonlyMap<string, string>,
  doing: string,
  turn: Turn,
): Promise<void> {
  const problem = firstProblem((await lintChanged(agent, changes, turn)).problems)
  if (problem === undefined) return
  throw new RlpError('LINT_FAILED', `Cannot ${doing} "${agent.label}": ${problem.message}`, {
    hint: problem.fix,
  })
}

function toolsOf(agent: Agent): { document: Document; tools: readonly Tool[] } {
  const document = agent.documents.get(TOOLS_FILE)
  if (document === undefined || agent.tools === undefined) throw new TypeError('the tools were not read')
  return { document, tools: agent.tools.tools }
}

function entryAt({ value }: Document, index: number): Readonly<Record<string, unknown>> {
  const entry = valueAt(value, ['tools', index])
  if (!isTable(entry)) throw new TypeError('the entry was read before')
  return entry
}

/** Ids of the other tools. */
export function othersIn({ tools }: Agent, id: string): readonly string[] {
  return (tools?.tools ?? []).flatMap(tool => (tool.id === id ? [] : tool.id))
}

/** @throws RlpError NOT_FOUND */
export function toolIn({ tools, label }: Agent, id: string, verb: string): Tool {
  const all = tools?.tools ?? []
  const found = all.find(tool => tool.id === id)
  if (found !== undefined) return found
  const ids = all.map(tool => tool.id)
  const known =
    ids.length === 0
      ? `${label} has no tools; rlp tool add makes one`
      : `Its tools: ${ids.slice(0, 5).join(', ')}`
  const meant = probablyMeant(id, ids)
  throw new RlpError(
    'NOT_FOUND',
    `Cannot ${verb} the tool ${quoted(id)} of "${label}": there is no such tool`,
    { hint: meant === undefined ? known : `Did you mean ${meant}?` },
  )
}
