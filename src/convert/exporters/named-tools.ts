// The part that exports to models share: each tool under its name there, and an object at the root of its input.

import { listText } from '../../lint/rules/list-text.ts'
import type { ConversionChange, Fates } from '../../model/conversion.ts'
import { bareLists } from '../../openai/bare-lists.ts'
import type { SchemaObject } from '../../schema/walk.ts'
import type { FormatOptions, PreparedTool } from './exporter.ts'
import { lost } from './losses.ts'
import { type NameRule, namesFor } from './names.ts'
import { argumentAt, objectRoot, withItems } from './object-root.ts'

/** The first rows of a table: what every such format says of a tool. */
export function firstFates(rule: NameRule, title: Fates['title'], inputSchema: string) {
  return {
    id: { is: 'kept', may: ['renamed'], note: `name; ${rule.told}, at most ${rule.longest}` },
    ...(title && { title }),
    description: { is: 'kept', note: 'description' },
    input_schema: { is: 'kept', may: ['inferred', 'lost'], note: inputSchema },
    internal_input: { is: 'lost', note: 'a model must not see it' },
  } as const satisfies Fates
}

/** @param write returns undefined for a tool that is left out, and reports why */
export function writeNamed<T>(
  tools: readonly PreparedTool[],
  { ids }: Pick<FormatOptions, 'ids'>,
  rule: NameRule,
  write: (prepared: PreparedTool, name: string, changes: ConversionChange[]) => T | undefined,
) {
  const names = namesFor(ids, rule)
  const changes: ConversionChange[] = []
  const renamed = new Map<string, string>()
  const written = tools.flatMap(prepared => {
    const { id } = prepared.tool
    const name = names.get(id) ?? id
    const tool = write(prepared, name, changes)
    if (tool === undefined) return []
    if (name !== id) {
      renamed.set(name, id)
      changes.push({ tool: id, field: 'id', what: 'renamed', message: `${id} is ${name} there` })
    }
    return [tool]
  })
  return { written, rest: { tools: written.length, names: renamed, changes } }
}

/**
 * The schema of the input with an object at its root, its properties listed, and its lists described; undefined if no object fits it. What
 * is made up is reported, except for an empty list of properties.
 */
export function inputRoot(prepared: PreparedTool, changes: ConversionChange[]): SchemaObject | undefined {
  const root = objectRoot(prepared.input)
  if (root === undefined) {
    changes.push(
      lost(prepared, 'input_schema', 'no object fits it, so no call could be made: the tool is left out'),
    )
    return undefined
  }
  const infer = (message: string) =>
    changes.push({ tool: prepared.tool.id, field: 'input_schema', what: 'inferred', message })
  if (root !== prepared.input) infer('its type is object: arguments always are')
  const bare = bareLists(root)
  const names = (lists: typeof bare) => listText(lists.map(({ pointer }) => argumentAt(pointer)))
  if (bare.length > 0) infer(`items {} for ${names(bare)}: OpenAI and VS Code refuse a list without items`)
  const closed = bare.filter(({ schema }) => Object.hasOwn(schema, 'unevaluatedItems'))
  if (closed.length > 0)
    changes.push(lost(prepared, 'input_schema', `unevaluatedItems of ${names(closed)}, beside items {}`))
  // OpenAI refuses an object without properties as incomplete, and MCP clients pass the schema on to it.
  return withItems({ ...root, properties: root['properties'] ?? {} })
}
