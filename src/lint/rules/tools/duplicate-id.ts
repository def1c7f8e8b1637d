import { TOOLS_FILE } from '../../../model/agent.ts'
import { toolsById } from '../agent-parts.ts'
import type { BundleRule } from '../rule.ts'

export const toolsDuplicateId: BundleRule = {
  id: 'tools/duplicate-id',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'two tools have the same id',
  why: 'Calls name a tool by its id: with two of them, which one runs depends on the reader.',
  fix: 'Give each tool its own id.',
  looks: 'tool',
  check({ agent, at, index, tool: { id } }, report) {
    const first = toolsById(agent).get(id)?.index
    if (first === undefined || first === index) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'id'] },
      message: `Tool ${index + 1} has the id of tool ${first + 1}: ${id}`,
      fix: 'Give this tool another id, or remove it',
    })
  },
}
