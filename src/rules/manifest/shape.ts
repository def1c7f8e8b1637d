import { MANIFEST_FILE } from '../../model/agent.ts'
import { shapeRule } from '../shape.ts'

export const manifestShape = shapeRule(MANIFEST_FILE, {
  id: 'manifest/shape',
  summary: 'manifest.toml differs from its schema',
  why: 'A missing name or a version of the wrong type makes a manifest that other readers refuse or misread.',
  fix: 'Write the key as schemas/manifest.schema.json describes it.',
})
