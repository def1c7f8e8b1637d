// interfaces.json for the rules: records of the right shape, and the tools that they are about. Everything is looked up once, because a
// hostile file can have very many records.
import type { RecordName } from '../../format/agent-tool/record-name.ts'
import { type AgentToolRecord, INTERFACES_FILE, recordsIn } from '../../format/agent-tool/records.ts'
import { toolsVersionOf } from '../../format/tools/index.ts'
import { type Agent, TOOLS_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import type { Tool } from '../../model/tools.ts'

/** Records that their schema accepts; the others are reported by tools/interface-shape. None beside tools of a newer version. */
export function interfaceRecords(agent: Agent, ...names: readonly RecordName[]): AgentToolRecord[] {
  const document = agent.documents.get(INTERFACES_FILE)
  const tools = agent.documents.get(TOOLS_FILE)
  if (document === undefined || (tools && toolsVersionOf(tools).is === 'newer')) return []
  const problems = agent.shapes.get(INTERFACES_FILE) ?? []
  // Only the first problems are listed, so the rest may be wrong too.
  if (problems.some(({ keyword }) => keyword === 'limit')) return []
  const broken = new Set(problems.map(({ pointer }) => elementKey(pointer)))
  return recordsIn(document.value).filter(
    ({ at, name }) => (names.length === 0 || names.includes(name)) && !broken.has(elementKey(at)),
  )
}

/** The element of the file that holds a place; a single record counts as one element. */
function elementKey(pointer: Pointer): string {
  if (typeof pointer[0] === 'number') return String(pointer[0])
  return pointer[0] === 'records' && typeof pointer[1] === 'number' ? String(pointer[1]) : ''
}

/** A tool of tools.json and its position there. */
export interface PlacedTool {
  readonly tool: Tool
  readonly index: number
}

/** The tools of tools.json by id; of several with one id, the first. */
export function toolsById(agent: Agent): ReadonlyMap<unknown, PlacedTool> {
  const tools = [...(agent.tools?.tools ?? []).entries()].reverse()
  return new Map(tools.map(([index, tool]) => [tool.id, { tool, index }]))
}

/** Records by the tool that they are about, in the order of the file. */
export function byTool(
  records: readonly AgentToolRecord[],
): ReadonlyMap<unknown, readonly AgentToolRecord[]> {
  const groups = new Map<unknown, AgentToolRecord[]>()
  for (const record of records) {
    const id = record.value['tool_id']
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [record])
    else group.push(record)
  }
  return groups
}
