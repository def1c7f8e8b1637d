// interfaces.json for the rules: records of the right shape, looked up once, because a hostile file can have very many records.
import { type AgentToolRecord, INTERFACES_FILE, recordsIn } from '../../agent-tool/records.ts'
import { recordsOf, type ToolRecords } from '../../agent-tool/tool-records.ts'
import { type Agent, TOOLS_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import { toolsVersionOf } from '../../tools/index.ts'
import { once } from './once.ts'

/** Records that their schema accepts; the others are reported by tools/interface-shape. None beside tools of a newer version. */
export const interfaceRecords = once((agent: Agent): readonly AgentToolRecord[] => {
  const document = agent.documents.get(INTERFACES_FILE)
  const tools = agent.documents.get(TOOLS_FILE)
  if (document === undefined || (tools && toolsVersionOf(tools).is === 'newer')) return []
  const problems = agent.shapes.get(INTERFACES_FILE) ?? []
  // Only the first problems are listed, so the rest may be wrong too.
  if (problems.some(({ keyword }) => keyword === 'limit')) return []
  const broken = new Set(problems.map(({ pointer }) => elementKey(pointer)))
  return recordsIn(document.value).filter(({ at }) => !broken.has(elementKey(at)))
})

/** The element of the file that holds a place; a single record counts as one element. */
function elementKey(pointer: Pointer): string {
  if (typeof pointer[0] === 'number') return String(pointer[0])
  return pointer[0] === 'records' && typeof pointer[1] === 'number' ? String(pointer[1]) : ''
}

/** The records of a tool, by its id. */
export const toolRecordsOf = once((agent: Agent): ((id: string) => ToolRecords) =>
  recordsOf(interfaceRecords(agent)),
)
