// What exports to models share: each tool under a name that the other system accepts, and an object at the root of its input.

import { blake3Hex } from '../../bundle/blake3.ts'
import { listText } from '../../lint/message-words.ts'
import type { ConversionChange } from '../../model/conversion.ts'
import { bareLists } from '../../openai/refused.ts'
import type { SchemaObject } from '../../schema/walk.ts'
import type { FormatOptions, PreparedTool } from './exporter.ts'
import { lost } from './fates.ts'
import { argumentAt, objectRoot, withItems } from './object-root.ts'

interface NameRule {
  /** Matches one character that a name may not have. */
  readonly odd: RegExp
  readonly longest: number
}

/** Function names of OpenAI: letters, digits, "_" and "-". */
export const OPENAI_NAMES: NameRule = {
  odd: /[^A-Za-z0-9_-]/gu,
  longest: 64,
}
export const MCP_NAMES: NameRule = {
  odd: /[^A-Za-z0-9_.-]/gu,
  longest: 128,
}

/** Hex digits of the id's digest that separate equal names. */
const MARK = 8

/**
 * Id → name. Valid names stay, and no other tool gets one of them. A name that is cut, or that equals another one, ends in a digest of
 * its id.
 */
export function namesFor(ids: readonly string[], { odd, longest }: NameRule): ReadonlyMap<string, string> {
  const fits = (id: string) => id.length <= longest && !new RegExp(odd.source, 'u').test(id)
  const names = new Map(ids.filter(fits).map(id => [id, id]))
  const taken = new Set(names.keys())
  for (const id of ids) {
    if (names.has(id)) continue
    const plain = id.replace(odd, character => (character === '.' ? '__' : '_'))
    let name = plain
    for (let round = 0; name.length > longest || taken.has(name); round++) {
      const mark = blake3Hex(new TextEncoder().encode(`${round}${id}`)).slice(0, MARK)
      name = `${plain.slice(0, longest - MARK - 1)}_${mark}`
    }
    taken.add(name)
    names.set(id, name)
  }
  return names
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
