// The words that a problem has in common with others of its rule: those that the rule gives, or else its whole message, if the place of the
// problem is in a tool.
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { type Agent, TOOLS_FILE } from '../model/agent.ts'
import type { Problem, Severity } from '../model/finding.ts'
import { isTable, ownMembers } from '../model/own.ts'
import { withoutCredentials } from '../secret/credential.ts'
import { quoteText } from '../text/quote.ts'
import { type CommonWords, namesText } from './group-findings.ts'
import { toolAt } from './rules/agent-tools.ts'

/** Undefined for errors: what adds tools blames each tool by the place of its error. */
export function commonWords(agent: Agent, problem: Problem, severity: Severity): CommonWords | undefined {
  if (severity === 'error') return undefined
  const { message, fix, shared } = problem
  if (shared !== undefined)
    return {
      name: withoutCredentials(shared.name),
      key: shared.words,
      fix: withoutCredentials(ownMembers(shared).fix ?? fix),
      message: (count, names) => withoutCredentials(`${count} ${shared.words}: ${namesText(names)}`),
    }
  const id = toolIdAt(agent, problem)
  if (id === undefined) return undefined
  return {
    name: withoutCredentials(quoteText(id)),
    key: JSON.stringify([message, fix]),
    fix: withoutCredentials(fix),
    message: (count, names) => withoutCredentials(`${message} (${whereText(count, names)})`),
  }
}

function whereText(count: number, names: readonly string[]): string {
  const tools = new Set(names).size
  return tools === 1 ? `at ${count} places` : `in ${tools} tools: ${namesText(names)}`
}

/** The id of the tool that a place is in: an entry of tools.json, or a record about a tool in interfaces.json. */
function toolIdAt(agent: Agent, { file, place }: Problem): string | undefined {
  if (place === undefined || !('pointer' in place)) return undefined
  const { pointer } = place
  if (file === TOOLS_FILE && pointer[0] === 'tools') return toolAt(agent, pointer[1])?.id
  if (file !== INTERFACES_FILE) return undefined
  const { value } = agent.documents.get(file) ?? {}
  const [list, index] =
    isTable(value) && pointer[0] === 'records' ? [value['records'], pointer[1]] : [value, pointer[0]]
  const record: unknown = Array.isArray(list) ? list[Number(index)] : undefined
  const id = isTable(record) ? record['tool_id'] : undefined
  return typeof id === 'string' ? id : undefined
}
