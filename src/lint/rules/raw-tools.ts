// tools.json as written, for rules to which an absent key differs from one with the default value.

import { type Agent, TOOLS_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import { extensionsOf } from '../../tools/extensions.ts'

/** @param value of a document that its schema has accepted */
export function rawTools(value: unknown): readonly object[] {
  return (value as { readonly tools?: readonly object[] } | undefined)?.tools ?? []
}

/**
 * The facts of a tool that an import has made up, by their keys: its file did not say them, so they are no slip of the author. Empty for
 * a tool that was not imported, and outside of tools.json.
 * @param at the place of the tool, or a place in it
 */
export function inferredAt({ documents }: Agent, file: string, [, index]: Pointer): readonly string[] {
  if (file !== TOOLS_FILE || typeof index !== 'number') return []
  return extensionsOf(rawTools(documents.get(TOOLS_FILE)?.value)[index]).inferred
}
