import { INTERFACES_FILE } from '../../../format/agent-tool/records.ts'
import { shapeRule } from '../shape.ts'

export const toolsInterfaceShape = shapeRule(INTERFACES_FILE, {
  id: 'tools/interface-shape',
  step: 'schemas',
  summary: 'a record in interfaces.json differs from its schema',
  why: 'A runtime takes safety facts from these records. One that it cannot read as its author meant it is worse than none.',
  fix: 'Write the record as its schema in schemas/agent-tool/ describes it.',
})
