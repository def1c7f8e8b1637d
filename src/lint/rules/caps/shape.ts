import { POLICY_FILE } from '../../../model/agent.ts'
import { shapeRule } from '../document-rules.ts'

export const capsShape = shapeRule(POLICY_FILE, {
  id: 'caps/shape',
  step: 'schemas',
  summary: 'policy.caps differs from its schema',
  why: 'Readers that take a wrong type for "false" or "empty" hide a grant that the author meant to give or to refuse.',
  fix: 'Write the key as schemas/policy.schema.json describes it.',
})
