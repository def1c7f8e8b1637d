import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { ShapeProblem } from '../../../model/document.ts'
import { shapeRule } from '../document-rules.ts'

export const manifestShape = shapeRule(
  MANIFEST_FILE,
  {
    id: 'manifest/shape',
    step: 'manifest',
    summary: 'manifest.toml differs from its schema',
    why: 'A missing name or a version of the wrong type makes a manifest that other readers refuse or misread.',
    fix: 'Write the key as schemas/manifest.schema.json describes it.',
  },
  isDigest,
)

/** manifest/digest-format reports digests. */
function isDigest({ keyword, pointer }: ShapeProblem): boolean {
  const isListed = pointer[0] === 'artifacts' && pointer[1] === 'files' && pointer.length === 3
  return keyword === 'pattern' && (pointer.at(-1) === 'blake3' || isListed)
}
