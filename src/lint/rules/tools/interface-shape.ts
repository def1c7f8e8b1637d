import { INTERFACES_FILE } from '../../../agent-tool/records.ts'
import { shapeRule } from '../document-rules.ts'

export const toolsInterfaceShape = shapeRule(INTERFACES_FILE, {
  id: 'tools/interface-shape',
  step: 'schemas',
  summary: 'a record in interfaces.json differs from its schema',
  why: 'A runtime takes safety facts from these records. A record that it misreads is worse than no record.',
  fix: 'Write the record as its schema in schemas/agent-tool/ describes it.',
})
