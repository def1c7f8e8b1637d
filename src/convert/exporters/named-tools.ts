// The part that exports to models share: each tool under its name there, and an object at the root of its input.
import type { SchemaObject } from '../../format/schema/walk.ts'
import type { ConversionChange, Fates } from '../../model/conversion.ts'
import type { FormatOptions, PreparedTool } from './exporter.ts'
import { lost } from './losses.ts'
import { type NameRule, namesFor } from './names.ts'
import { objectRoot } from './object-root.ts'

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

/** The schema of the input with an object at its root; undefined if no object fits it. Either is reported. */
export function inputRoot(prepared: PreparedTool, changes: ConversionChange[]): SchemaObject | undefined {
  const root = objectRoot(prepared.input)
  if (root === undefined) {
    changes.push(
      lost(prepared, 'input_schema', 'no object fits it, so no call could be made: the tool is left out'),
    )
  } else if (root !== prepared.input) {
    const message = 'its type is object: arguments always are'
    changes.push({ tool: prepared.tool.id, field: 'input_schema', what: 'inferred', message })
  }
  return root
}
