// What a model is told of a tool, before and after → what is new of it, for the person who upgrades (docs/upgrades.md). Part of widen.ts.

import { INTERFACES_FILE, recordsIn } from '../agent-tool/records.ts'
import { recordsOf, statedIn } from '../agent-tool/tool-records.ts'
import { blake3Hex } from '../bundle/blake3.ts'
import { serialize } from '../contract/serialize.ts'
import type { Agent } from '../model/agent.ts'
import type { Change, ToldOfTool, ToolPermission } from '../model/permissions.ts'
import type { Tool } from '../model/tools.ts'
import { isSchemaFile } from '../schema/reference.ts'
import { quoteText } from '../text/quote.ts'

/** Of a description, because the state keeps those of all tools. */
const MOST_KEPT = 1000
/** Of one description in a message: the words around the first that changed. */
const MOST_SHOWN = 300
const BEFORE = 40

/** What `tool` of an agent tells a model. */
export function toldIn({ documents }: Agent): (tool: Tool) => ToldOfTool {
  const titles = titlesIn(path => documents.get(path)?.value)
  let files: string | undefined
  const ofFiles = () => {
    const all = [...documents].filter(([path]) => isSchemaFile(path))
    return digestOf(all.map(([path, { value }]) => [path, value]))
  }
  return ({ id, description, inputSchema, resultSchema, schemaRefs }) => {
    const title = titles(id)
    const schemas = serialize([inputSchema, resultSchema, schemaRefs])
    if (REFERENCE.test(schemas)) files ??= ofFiles()
    return {
      ...(title !== undefined && { title: beginning(title) }),
      description: beginning(description),
      words: digestOf([title ?? null, description]),
      schemas: digestOf(REFERENCE.test(schemas) ? [schemas, files] : [schemas]),
    }
  }
}

/** Which files it leads to is not looked for: a person is told once too often rather than never. */
const REFERENCE = /"\$ref":/

/** A tool's id → the title that its records give it. */
export function titlesIn(fileAt: (path: string) => unknown): (id: string) => string | undefined {
  const find = recordsOf(recordsIn(fileAt(INTERFACES_FILE)))
  return id => {
    const title = statedIn(find(id)).find(({ field }) => field === 'title')?.value
    return typeof title === 'string' ? title : undefined
  }
}

/** @param before under the same id */
export function toldOtherwise(before: ToolPermission | undefined, { id, told }: ToolPermission): Change[] {
  const changes: Change[] = []
  if (before === undefined) return changes
  const old = before.told
  const about = { tool: id }
  if (old.title !== told.title) {
    const was = old.title === undefined ? '' : `, not ${quoteText(old.title, MOST_SHOWN)}`
    const message =
      told.title === undefined ? `has no title for ${id}` : `calls ${id} ${quoteText(told.title, MOST_SHOWN)}`
    changes.push({ ...about, kind: 'title', message: `${message}${was}` })
  }
  if (old.description !== told.description) {
    const at = firstDifference(old.description, told.description)
    changes.push({
      ...about,
      kind: 'description',
      message: `describes ${id} as ${around(told.description, at)}, not as ${around(old.description, at)}`,
    })
  } else if (old.words !== told.words && old.title === told.title)
    changes.push({
      ...about,
      kind: 'description',
      message: `describes ${id} otherwise after ${MOST_KEPT} characters`,
    })
  if (old.schemas !== told.schemas)
    changes.push({
      ...about,
      kind: 'schema',
      message: `describes input or result of ${id} with another schema`,
    })
  return changes
}

/** No half of a character at its end, which a state file could not hold. */
function beginning(text: string): string {
  return text.slice(0, MOST_KEPT).replace(/[\ud800-\udbff]$/, '')
}

function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

/** In quotes, with an ellipsis where something is left out. */
function around(text: string, at: number): string {
  const from = text.length <= MOST_SHOWN ? 0 : Math.max(0, at - BEFORE)
  return quoteText(`${from > 0 ? '…' : ''}${text.slice(from)}`, MOST_SHOWN)
}

function digestOf(value: unknown): string {
  return blake3Hex(new TextEncoder().encode(serialize(value)))
}
