import { TOOLS_FILE } from '../../../model/agent.ts'
import { shapeRule } from '../document-rules.ts'

export const toolsShape = shapeRule(TOOLS_FILE, {
  id: 'tools/shape',
  step: 'schemas',
  summary: 'tools.json differs from its schema',
  why: 'Both schemas, a transport and an id are what a runtime needs before it may call a tool; an unknown key is a promise that is not kept.',
  fix: 'Write the key as schemas/tools.v1.schema.json describes it.',
})
