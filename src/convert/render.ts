// Writes for people what a conversion changed, one line for each kind of change with the tools that have it, and the steps that an import leaves to them.

import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { toolLine } from '../cli/wizard/ask.ts'
import type { ConversionChange } from '../model/conversion.ts'
import type { NewTool } from '../scaffold/add-tool.ts'
import { printable } from '../text/printable.ts'
import { writePath } from '../text/shell-words.ts'
import { plural } from '../text/words.ts'
import type { ImportPlace } from './import-into.ts'

/** The most tools that a line names; `--json` has all of them. */
const MOST_NAMED = 6

/** More lines about what was inferred are one line. */
const MOST_INFERRED = 4

interface Group {
  readonly what: ConversionChange['what']
  readonly message: string
  readonly fields: string[]
  readonly tools: readonly string[]
}

/** Not yet printable: ids and messages come from a stranger. */
export function conversionLines(changes: readonly ConversionChange[]): string[] {
  const renamed = changes.filter(({ what }) => what === 'renamed').map(({ message }) => message)
  const groups = grouped(changes.filter(({ what }) => what !== 'renamed'))
  const inferred = groups.filter(({ what }) => what === 'inferred')
  const isMany = inferred.length > MOST_INFERRED
  const shown = isMany ? groups.filter(({ what }) => what !== 'inferred') : groups
  const lines = shown.map(
    ({ what, fields, tools, message }) =>
      `${what}: ${fields.join(', ')}${tools.length === 0 ? '' : ` of ${some(tools)}`}: ${message}`,
  )
  if (isMany) lines.push(inferredLine(inferred))
  return renamed.length === 0 ? lines : [...lines, `renamed: ${some(renamed)}`]
}

/** Of twenty lines none is read, and what was lost would be among them. */
function inferredLine(groups: readonly Group[]): string {
  const tools = new Map<string, Set<string>>()
  for (const group of groups)
    for (const field of group.fields)
      for (const tool of group.tools) tools.set(field, (tools.get(field) ?? new Set()).add(tool))
  const fields = [...tools].map(
    ([field, of]) => `${field} of ${of.size === 1 ? [...of].join() : `${of.size} tools`}`,
  )
  return `inferred: ${fields.join(', ')}: the source does not state them; --json says what each is`
}

/** Joins equal changes of the same tools. */
function grouped(changes: readonly ConversionChange[]): Group[] {
  const byField = new Map<string, { readonly change: ConversionChange; readonly tools: string[] }>()
  for (const change of changes) {
    const { what, field, message, tool } = change
    const key = JSON.stringify([what, field, message])
    const group = byField.get(key) ?? { change, tools: [] }
    if (tool !== undefined) group.tools.push(tool)
    byField.set(key, group)
  }
  const groups = new Map<string, Group>()
  for (const { change, tools } of byField.values()) {
    const { what, field, message } = change
    const key = JSON.stringify([what, message, tools])
    const group = groups.get(key) ?? { what, message, fields: [], tools }
    group.fields.push(field)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function some(items: readonly string[]): string {
  const more = items.length - MOST_NAMED
  return items.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

interface ImportedResult {
  readonly into: ImportPlace
  readonly isWritten: boolean
  readonly files: readonly string[]
  readonly granted: readonly string[]
  readonly missing: readonly string[]
}

/** The most tools that are listed; `--json` has all of them. */
const MOST = 40

export function renderImported(
  { into, isWritten, files, granted, missing }: ImportedResult,
  tools: readonly NewTool[],
  style: Style,
): string {
  const done = isWritten ? style.green(SYMBOLS.ok) : '+'
  const more = tools.length - MOST
  const others = files.filter(file => file !== 'tools.json' && file !== into.file && file !== 'policy.caps')
  return [
    `${done} ${plural(tools.length, 'tool')} ${isWritten ? 'in' : 'for'} ${style.bold(printable(into.file))}`,
    ...tools.slice(0, MOST).map(({ tool }) => `    ${printable(toolLine(tool))}`),
    ...(more > 0 ? [`    … and ${more} more`] : []),
    ...others.map(file => `${done} ${printable(into.label)}/${file} has the facts that the file states`),
    ...(granted.length > 0 ? [`${done} ${printable(into.label)}/policy.caps grants what they need:`] : []),
    ...granted.map(policyLine),
    ...(missing.length > 0
      ? ['', `${printable(into.label)}/policy.caps has to say:`, '', ...missing.map(policyLine)]
      : []),
    ...(into.is === 'agent' && files.length > 0
      ? [
          '',
          'The digests in manifest.toml are stale now. Next:',
          '',
          `  ${style.cyan(printable(`rlp agent digest ${writePath(into.label)}`))}`,
        ]
      : []),
    '',
  ].join('\n')
}

/** Never cut, because a person will copy it. */
function policyLine(line: string): string {
  return `    ${printable(line.trim(), Number.POSITIVE_INFINITY)}`
}
