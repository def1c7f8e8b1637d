import { TOOLS_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

export const toolsDuplicateId: BundleRule = {
  id: 'tools/duplicate-id',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'two tools have the same id',
  why: 'Calls name a tool by its id: with two of them, which one runs depends on the reader.',
  fix: 'Give each tool its own id.',
  *check(agent) {
    const first = new Map<string, number>()
    for (const [index, { id }] of (agent.tools?.tools ?? []).entries()) {
      yield
      const other = first.get(id)
      if (other === undefined) first.set(id, index)
      else {
        yield {
          file: TOOLS_FILE,
          place: { pointer: ['tools', index, 'id'] },
          message: `Tool ${index + 1} has the id of tool ${other + 1}: ${id}`,
          fix: 'Give this tool another id, or remove it',
        }
      }
    }
  },
}
