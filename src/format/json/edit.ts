// Document + values → the file's new text with the values at the end of one of its arrays. Every other byte stays.
import type { Document, Pointer, Range } from '../../model/document.ts'
import { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import { JsonIndex, type JsonMember } from './index.ts'
import { parseJson } from './parse.ts'
import { isSameData } from './same-data.ts'

/** The layout of the file; no `unit` if everything is on one line. */
export interface JsonLayout {
  readonly newline: '\n' | '\r\n'
  readonly unit: string | undefined
}

/**
 * The text of `document` with `values` appended to the array at `pointer`, in the file's own indentation and line ends. A missing key of
 * the root object is added, with an array that holds them.
 * @throws RlpError NOT_EDITABLE if the value at `pointer` is not an array, if more than a key of the root object is missing, or if the
 * result would not read back as expected (a value that strict JSON cannot hold)
 */
export function appendAllToArray(document: Document, pointer: Pointer, values: readonly unknown[]): string {
  const { path, text } = document
  const items = values.map((value): string | undefined => JSON.stringify(value))
  const [item] = items
  const refuse = (
    seen: string,
    hint = 'Choose another value: this one cannot be in a JSON file',
  ): RlpError => {
    const what = pointer.length === 0 ? 'the document' : `"${pointer.join('.')}"`
    return new RlpError('NOT_EDITABLE', `Cannot append to ${what} in ${path}: ${seen}`, { hint })
  }
  const isWritable = (item: string | undefined): item is string => item !== undefined
  if (!items.every(isWritable) || item === undefined) throw refuse('the value cannot be written as JSON')
  const byHand = item.length > 500 ? 'Edit the file by hand' : `Add this value by hand: ${item}`

  const index = new JsonIndex(text)
  const { member, depth } = index.find(pointer)
  const [name] = pointer
  const key = depth === 0 && pointer.length === 1 && typeof name === 'string' ? name : undefined
  if (depth < pointer.length && key === undefined) throw refuse('there is no value', byHand)
  const container = member.value
  if (text[container.start] !== (key === undefined ? '[' : '{'))
    throw refuse('the value is not an array', byHand)

  const plain = items.map((item): unknown => JSON.parse(item))
  const layout = layoutOf(text, index.root().value)
  const inserted = insertion(text, container, index.last(container.start), layout, indent =>
    key === undefined ? sequence(plain, layout, indent) : property(key, plain, layout, indent),
  )
  const result = text.slice(0, inserted.at) + inserted.text + text.slice(inserted.at)
  const parsed = parseJson(path, new TextEncoder().encode(result))
  if (!parsed.ok) throw refuse(`the result would not be readable (${parsed.problem.message})`)
  if (!isSameData(parsed.document.value, appended(document.value, pointer, plain)))
    throw refuse('the result would hold other values')
  return result
}

export function layoutOf(text: string, root: Range): JsonLayout {
  const whole = text.slice(root.start, root.end)
  const lineEnd = whole.indexOf('\n')
  const newline = lineEnd > 0 && whole[lineEnd - 1] === '\r' ? '\r\n' : '\n'
  if (lineEnd === -1) return { newline, unit: undefined }
  const lead = /^[ \t\r\n]*\n([ \t]+)/.exec(whole.slice(1))
  return { newline, unit: lead?.[1] ?? '  ' }
}

/** The position and surroundings of the new last member. `render` gets the indentation, or undefined for one line. */
export function insertion(
  text: string,
  container: Range,
  last: JsonMember | undefined,
  layout: JsonLayout,
  render: (indent: string | undefined) => string,
): { readonly at: number; readonly text: string } {
  const { newline, unit } = layout
  if (last === undefined) {
    const at = container.start + 1
    if (unit === undefined) return { at, text: render(undefined) }
    const outer = lineIndent(text, container.start)
    const closesOnOwnLine = text.slice(at, container.end).includes('\n')
    const after = closesOnOwnLine ? '' : newline + outer
    return { at, text: newline + outer + unit + render(outer + unit) + after }
  }
  const at = last.value.end
  const start = last.key?.start ?? last.value.start
  const lead = spaceBefore(text, start)
  if (lead.includes('\n')) {
    const indent = lead.slice(lead.lastIndexOf('\n') + 1)
    return { at, text: `,${newline}${indent}${render(indent)}` }
  }
  const follows = text[start - lead.length - 1] === ','
  const gap = follows ? lead : unit === undefined ? '' : ' '
  const spansLines = text.slice(start, at).includes('\n')
  return { at, text: `,${gap}${render(spansLines ? lineIndent(text, start) : undefined)}` }
}

function sequence(values: readonly unknown[], layout: JsonLayout, indent: string | undefined): string {
  const between = indent === undefined ? ',' : `,${layout.newline}${indent}`
  return values.map(value => asText(value, layout, indent)).join(between)
}

function property(key: string, value: unknown, layout: JsonLayout, indent: string | undefined): string {
  return `${JSON.stringify(key)}:${indent === undefined ? '' : ' '}${asText(value, layout, indent)}`
}

export function asText(value: unknown, { newline, unit }: JsonLayout, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value)
  // Line feeds inside strings are escaped, so every one here ends a line.
  return JSON.stringify(value, null, unit).replaceAll('\n', newline + indent)
}

function spaceBefore(text: string, end: number): string {
  let start = end
  while (start > 0 && /[ \t\r\n]/.test(text[start - 1] ?? '')) start--
  return text.slice(start, end)
}

export function lineIndent(text: string, offset: number): string {
  const line = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(line, offset))?.[0] ?? ''
}

/** The value that must come out when the new text is read. */
function appended(root: unknown, pointer: Pointer, items: readonly unknown[]): unknown {
  const copy: unknown = structuredClone(root)
  let target: unknown = copy
  for (const step of pointer) {
    const parent = target as Record<string | number, unknown>
    if (!Object.hasOwn(parent, step)) parent[step] = []
    target = own(parent, step)
  }
  if (Array.isArray(target)) for (const item of items) target.push(item)
  return copy
}
