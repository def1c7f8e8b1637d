// Linked schemas → the `$dynamicRef`s whose target depends on the path of evaluation.
import { quoteText } from '../text/quote.ts'
import type { LinkedSchemas, SchemaProblem } from './link.ts'

/**
 * A `$dynamicRef` means the outermost `$dynamicAnchor` of its name on the path of evaluation. If all documents have one such anchor, that
 * is an ordinary reference; if there are more, we refuse instead of choosing one.
 */
export function findAmbiguous({ documents, links }: LinkedSchemas): SchemaProblem | undefined {
  const seen = new Map<unknown, number>()
  for (const { schema } of documents.flatMap(({ subschemas }) => subschemas)) {
    const name = typeof schema === 'object' ? schema['$dynamicAnchor'] : undefined
    if (name !== undefined) seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  for (const { document, found, target } of links) {
    const name = typeof target?.schema === 'object' ? target.schema['$dynamicAnchor'] : undefined
    if (found.keyword !== '$dynamicRef' || !found.ref.endsWith(`#${name}`) || (seen.get(name) ?? 0) < 2)
      continue
    const message = `The reference ${quoteText(found.ref)} has several schemas to choose from`
    const fix = 'Use $ref, or one $dynamicAnchor of this name'
    return { document: documents[document]?.label ?? '', pointer: found.pointer, message, fix }
  }
  return undefined
}
