// interfaces.json as the rules see it: records of the right shape, and what belongs to one tool.
import type { RecordName } from '../format/agent-tool/record-name.ts'
import { type AgentToolRecord, INTERFACES_FILE, recordsIn } from '../format/agent-tool/records.ts'
import type { Agent } from '../model/agent.ts'
import type { Pointer } from '../model/document.ts'
import type { Tool } from '../model/tools.ts'

/** Records whose schema has nothing to say against them; the rest is for tools/interface-shape. */
export function interfaceRecords(agent: Agent, ...names: readonly RecordName[]): AgentToolRecord[] {
  const document = agent.documents.get(INTERFACES_FILE)
  if (document === undefined) return []
  const problems = agent.shapes.get(INTERFACES_FILE) ?? []
  // Only the first problems are listed: behind them nothing is known to be right.
  if (problems.some(({ keyword }) => keyword === 'limit')) return []
  const broken = new Set(problems.map(({ pointer }) => elementKey(pointer)))
  return recordsIn(document.value).filter(
    ({ at, name }) => (names.length === 0 || names.includes(name)) && !broken.has(elementKey(at)),
  )
}

/** Which element of the file a place lies in: all places of a single record are one. */
function elementKey(pointer: Pointer): string {
  if (typeof pointer[0] === 'number') return String(pointer[0])
  return pointer[0] === 'records' && typeof pointer[1] === 'number' ? String(pointer[1]) : ''
}

/** The tool of tools.json that a record is about, with its place there. */
export function toolOf(
  agent: Agent,
  { value }: AgentToolRecord,
): { readonly tool: Tool; readonly index: number } | undefined {
  const index = agent.tools?.tools.findIndex(({ id }) => id === value['tool_id']) ?? -1
  const tool = agent.tools?.tools[index]
  return tool && { tool, index }
}

/** Declarations of the tool that a record is about. */
export function declarationsOf(agent: Agent, { value }: AgentToolRecord): AgentToolRecord[] {
  return interfaceRecords(agent, 'tool-declaration').filter(
    declaration => declaration.value['tool_id'] === value['tool_id'],
  )
}
