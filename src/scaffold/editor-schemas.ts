// An agent's folder → where an editor finds the published schemas, as the agent's files name them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { levelsAbove } from '../io/read/real-path.ts'

const SCHEMAS = 'node_modules/rlp-bundle/schemas'
/** Never packed, as everything whose name begins with a dot. */
const COPIES = '.schemas'
const COPIED = ['manifest.schema.json', 'policy.schema.json', 'tools.v1.schema.json'] as const

/**
 * Relative, because a project is checked out in many places: the nearest folder above the agent that has this package. Undefined if none
 * has it, because an editor reports a schema that it does not find.
 *
 * @param path the agent's folder, absolute
 */
export function editorSchemas(path: string): string | undefined {
  const levels = levelsAbove(path, SCHEMAS)
  return levels === undefined ? undefined : `${'../'.repeat(levels)}${SCHEMAS}`
}

/** Copies of them in the agent's own folder, for a project without this package: where they are, and each with its path and content. */
export function copiedSchemas(): { readonly at: string; readonly files: Map<string, Uint8Array> } {
  // Two levels up in the sources and in what is shipped.
  const published = join(import.meta.dirname, '../../schemas')
  const files = COPIED.map(name => [`${COPIES}/${name}`, readFileSync(join(published, name))] as const)
  return { at: `./${COPIES}`, files: new Map(files) }
}
