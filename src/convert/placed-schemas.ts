// The schemas of imported tools: an import writes them in the dialect of bundles. It names arguments that are beside `properties`, or moves
// them where the caller says so.

import { intoDialect } from '../lint/rules/change-schemas.ts'
import { misplacedIn, misplacedWords, putRight } from '../lint/rules/misplaced-members.ts'
import type { ConversionChange } from '../model/conversion.ts'
import type { JsonSchema } from '../model/tools.ts'
import { checkJsonSchema } from '../schema/check.ts'
import { subschemasOf } from '../schema/walk.ts'
import { quoteText } from '../text/quote.ts'
import type { ImportedTool, ImportSource } from './importers/importer.ts'
import { notConvertible } from './importers/refuse.ts'

const SCHEMAS = [
  ['input_schema', 'inputSchema'],
  ['result_schema', 'resultSchema'],
] as const

/**
 * The tool as it is written, with a change for each schema that was rewritten or has misplaced members.
 * @param is whether members are moved, and whether many tools have some
 * @throws RlpError NOT_CONVERTIBLE for a schema that is valid only with its members moved
 */
export function placedTool(
  tool: ImportedTool,
  source: ImportSource,
  { isFixing, isMany }: { readonly isFixing: boolean; readonly isMany: boolean },
  changes: ConversionChange[],
): ImportedTool {
  const { name } = tool
  const placed: { [key in 'inputSchema' | 'resultSchema']?: JsonSchema } = {}
  for (const [field, key] of SCHEMAS) {
    const given = tool[key]
    const schema = given === undefined ? undefined : intoDialect(given)
    if (schema !== undefined && schema !== given) {
      placed[key] = schema
      changes.push({ tool: name, field, what: 'inferred', message: REWRITTEN })
    }
    const words = schema === undefined ? undefined : wordsAbout(schema)
    if (schema === undefined || words === undefined) continue
    const right = putRight(schema, true)
    if (isFixing) {
      placed[key] = right
      const message = `${isMany ? BESIDE : words}: --fix has moved them`
      changes.push({ tool: name, field, what: 'inferred', message })
    } else if (checkJsonSchema(schema).length > 0 && checkJsonSchema(right).length === 0)
      throw notConvertible(
        source,
        `${field} of ${quoteText(name)}: ${words}`,
        'Add --fix, which moves them, or correct the file',
      )
    else changes.push({ tool: name, field, what: 'lost', message: isMany ? MANY : `${words}: ${NO_EFFECT}` })
  }
  return { ...tool, ...placed }
}

const REWRITTEN =
  'it is written in the dialect of bundles: JSON Schema 2020-12, with $schema at the top alone, a plain $ref, and no names that nothing refers to'
const NO_EFFECT = 'they have no effect there; --fix moves them'
const BESIDE = 'arguments are beside properties, or keywords in it'
const MANY = `${BESIDE}: ${NO_EFFECT}`
/** The most tools whose misplaced members are named one by one. */
const MOST_NAMED = 4

/** Whether so many tools have misplaced members that one message is about all of them. */
export function areManyMisplaced(tools: readonly ImportedTool[]): boolean {
  const misplaced = tools.filter(tool =>
    SCHEMAS.some(([, key]) => tool[key] !== undefined && wordsAbout(tool[key]) !== undefined),
  )
  return misplaced.length > MOST_NAMED
}

function wordsAbout(schema: JsonSchema): string | undefined {
  const [first, ...others] = misplacedIn(subschemasOf(schema), true)
  if (first === undefined) return undefined
  const more = others.length === 0 ? '' : ` (and so in ${others.length} more of its objects)`
  return `${misplacedWords(first).message}${more}`
}
