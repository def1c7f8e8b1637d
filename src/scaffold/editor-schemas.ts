// An agent's folder → where an editor finds the published schemas, as the agent's files name them.
import { levelsAbove } from '../io/read/levels-above.ts'

const SCHEMAS = 'node_modules/rlp-bundle/schemas'

/** For `agents/<name>/` in a project that has this package among its dependencies. */
export const EDITOR_SCHEMAS = schemasAbove(2)

/**
 * Relative, because a project is checked out in many places. The nearest folder above the agent that has this package counts. If no
 * folder has it, the nearest with a `package.json` counts, because `npm install` would put the package there.
 *
 * @param path the agent's folder, absolute
 */
export function editorSchemas(path: string): string {
  const levels = levelsAbove(path, SCHEMAS) ?? levelsAbove(path, 'package.json')
  return levels === undefined ? EDITOR_SCHEMAS : schemasAbove(levels)
}

function schemasAbove(levels: number): string {
  return `${'../'.repeat(levels)}${SCHEMAS}`
}
