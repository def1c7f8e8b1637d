// Changes values in a JSON text, in the layout of the file. Every byte that need not change stays.
import type { Document, Parsed, Pointer } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import { isTable, own } from '../model/own.ts'
import { applySplices } from '../text/splice.ts'
import { JsonIndex, type JsonMember } from './index.ts'
import { parseJson } from './parse.ts'
import { valueAt } from './pointer.ts'
import { isSameData } from './same-data.ts'

/**
 * The text of `document` with `value` at `pointer`, in the file's own layout. Of two objects only the members that differ are written.
 * @param pointer of a value that is there
 * @throws RlpError NOT_EDITABLE if the result would not read back as expected
 */
export function changeValue(document: Document, pointer: Pointer, value: unknown): string {
  const layout = layoutOf(document)
  const text = changed(document.text, pointer, value, layout, valueAt(document.value, pointer))
  return checked(document, text, pointer, value)
}

/**
 * The text with several values, none of which is in another. Each is changed by itself: a file of 400 tools would be read 4,000 times.
 * @throws RlpError NOT_EDITABLE if the result would not read back as expected
 */
export function changeValues(
  document: Document,
  changes: readonly { readonly pointer: Pointer; readonly value: unknown }[],
): string {
  const layout = layoutOf(document)
  let whole = document.value
  const splices = changes.map(({ pointer, value }) => {
    const range = document.locate(pointer)
    // With the indentation of its line, which the new members get too.
    const indent = lineIndent(document.text, range.start)
    const alone = indent + document.text.slice(range.start, range.end)
    const before = valueAt(document.value, pointer)
    const isRewritten = editsBetween(before, value) > MOST_EDITS
    const text = (isRewritten ? replaced : changed)(alone, [], value, layout, before).slice(indent.length)
    whole = withValue(whole, pointer, value)
    return { range, text }
  })
  return checked(document, applySplices(document.text, splices) ?? '', [], whole)
}

/** Each edit reads the value anew. With more of them the whole value is written. */
const MOST_EDITS = 30

function editsBetween(before: unknown, after: unknown): number {
  if (before === after) return 0
  if (!isTable(before) || !isTable(after)) return isSameData(before, after) ? 0 : 1
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  let edits = 0
  for (const key of keys) edits += editsBetween(own(before, key), own(after, key))
  return edits
}

/** The text without some elements of an array. */
export function removeElements(document: Document, pointer: Pointer, indexes: readonly number[]): string {
  const before = valueAt(document.value, pointer)
  if (!Array.isArray(before)) throw new TypeError('the value is not an array')
  let { text } = document
  // From the end, so that the indexes stay right.
  for (const index of [...indexes].sort((a, b) => b - a)) text = without(text, pointer, index)
  const value = before.filter((_, index) => !indexes.includes(index))
  return checked(document, text, pointer, value)
}

/**
 * The text with `values` appended to the array at `pointer`. A missing key of the root object is added, with an array that holds them.
 * @throws RlpError NOT_EDITABLE if the value at `pointer` is not an array, if more than a key of the root object is missing, or if the
 * result would not read back as expected (a value that strict JSON cannot hold)
 */
export function appendAllToArray(document: Document, pointer: Pointer, values: readonly unknown[]): string {
  const refuse = (seen: string, hint = 'Choose another value: this one cannot be in a JSON file') =>
    refusal(document, pointer, 'append to', seen, hint)
  const items = values.map((value): string | undefined => JSON.stringify(value))
  const [item] = items
  if (item === undefined || items.includes(undefined)) throw refuse('the value cannot be written as JSON')
  const byHand = item.length > 500 ? 'Edit the file by hand' : `Add this value by hand: ${item}`
  const before = valueAt(document.value, pointer)
  const [name] = pointer
  const isNew = before === undefined && pointer.length === 1 && typeof name === 'string'
  if (before === undefined && !isNew) throw refuse('there is no value', byHand)
  if (isNew ? !isTable(document.value) : !Array.isArray(before))
    throw refuse('the value is not an array', byHand)

  const layout = layoutOf(document)
  const plain = values.map(asJson)
  const text = isNew
    ? withMember(document.text, [], name, plain, layout)
    : inserted(document.text, pointer, layout, indent => {
        const between = indent === undefined ? ',' : `,${layout.newline}${indent}`
        return plain.map(value => asText(value, layout, indent)).join(between)
      })
  const parsed = readAgain(document, text)
  if (!parsed.ok) throw refuse(`the result would not be readable (${parsed.problem.message})`)
  const whole = Array.isArray(before) ? [...before, ...plain] : plain
  if (isWhatIsMeant(document, parsed, pointer, whole)) return text
  throw refuse('the result would hold other values')
}

function changed(
  text: string,
  pointer: Pointer,
  after: unknown,
  layout: JsonLayout,
  before: unknown,
): string {
  if (isSameData(before, after)) return text
  if (!isTable(before) || !isTable(after)) return replaced(text, pointer, after, layout)
  let now = text
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) now = without(now, pointer, key)
  for (const [key, value] of Object.entries(after))
    now = Object.hasOwn(before, key)
      ? changed(now, [...pointer, key], value, layout, own(before, key))
      : withMember(now, pointer, key, value, layout)
  return now
}

function replaced(text: string, pointer: Pointer, value: unknown, layout: JsonLayout): string {
  const { start, end } = new JsonIndex(text).find(pointer).member.value
  const isFlat = !text.slice(start, end).includes('\n') && Array.isArray(value) && value.every(isScalar)
  const indent = layout.unit === undefined ? undefined : lineIndent(text, start)
  const shown = isFlat
    ? `[${value.map(item => JSON.stringify(item)).join(layout.unit === undefined ? ',' : ', ')}]`
    : asText(value, layout, indent)
  return text.slice(0, start) + shown + text.slice(end)
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

/** The text with a member at the end of an object. */
function withMember(text: string, pointer: Pointer, key: string, value: unknown, layout: JsonLayout): string {
  return inserted(text, pointer, layout, indent => {
    return `${JSON.stringify(key)}:${indent === undefined ? '' : ' '}${asText(value, layout, indent)}`
  })
}

/**
 * The text with something at the end of an object or array.
 * @param render gets the indentation, or undefined for one line
 */
function inserted(
  text: string,
  pointer: Pointer,
  { newline, unit }: JsonLayout,
  render: (indent: string | undefined) => string,
): string {
  const index = new JsonIndex(text)
  const container = index.find(pointer).member.value
  const last = index.all(container.start).at(-1)
  const put = (at: number, added: string) => text.slice(0, at) + added + text.slice(at)
  if (last === undefined) {
    const at = container.start + 1
    if (unit === undefined) return put(at, render(undefined))
    const outer = lineIndent(text, container.start)
    const closesOnOwnLine = text.slice(at, container.end).includes('\n')
    const after = closesOnOwnLine ? '' : newline + outer
    return put(at, newline + outer + unit + render(outer + unit) + after)
  }
  const at = last.value.end
  const start = startOf(last)
  const lead = spaceBefore(text, start)
  if (lead.includes('\n')) {
    const indent = lead.slice(lead.lastIndexOf('\n') + 1)
    return put(at, `,${newline}${indent}${render(indent)}`)
  }
  const follows = text[start - lead.length - 1] === ','
  const gap = follows ? lead : unit === undefined ? '' : ' '
  const spansLines = text.slice(start, at).includes('\n')
  return put(at, `,${gap}${render(spansLines ? lineIndent(text, start) : undefined)}`)
}

/** The text without one member or element, and without the comma that it needed. */
function without(text: string, pointer: Pointer, step: string | number): string {
  const index = new JsonIndex(text)
  const container = index.find(pointer).member.value
  const { member } = index.find([...pointer, step])
  const all = index.all(container.start)
  const place = all.findIndex(({ value }) => value.start === member.value.start)
  const [previous, next] = [all[place - 1], all[place + 1]]
  const cut = (start: number, end: number) => text.slice(0, start) + text.slice(end)
  if (previous !== undefined) return cut(previous.value.end, member.value.end)
  if (next !== undefined) return cut(startOf(member), startOf(next))
  return cut(container.start + 1, container.end - 1)
}

function startOf({ key, value }: JsonMember): number {
  return key?.start ?? value.start
}

/** The layout of a file; no `unit` if everything is on one line. */
interface JsonLayout {
  readonly newline: '\n' | '\r\n'
  readonly unit: string | undefined
}

function layoutOf({ text }: Document): JsonLayout {
  const { start, end } = new JsonIndex(text).root().value
  const whole = text.slice(start, end)
  const lineEnd = whole.indexOf('\n')
  const newline = lineEnd > 0 && whole[lineEnd - 1] === '\r' ? '\r\n' : '\n'
  if (lineEnd === -1) return { newline, unit: undefined }
  const lead = /^[ \t\r\n]*\n([ \t]+)/.exec(whole.slice(1))
  return { newline, unit: lead?.[1] ?? '  ' }
}

function asText(value: unknown, { newline, unit }: JsonLayout, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value)
  // Line feeds inside strings are escaped, so every one here ends a line.
  return JSON.stringify(value, null, unit).replaceAll('\n', newline + indent)
}

function spaceBefore(text: string, end: number): string {
  let start = end
  while (start > 0 && /[ \t\r\n]/.test(text[start - 1] ?? '')) start--
  return text.slice(start, end)
}

function lineIndent(text: string, offset: number): string {
  const line = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(line, offset))?.[0] ?? ''
}

function checked(document: Document, text: string, pointer: Pointer, value: unknown): string {
  if (isWhatIsMeant(document, readAgain(document, text), pointer, value)) return text
  throw refusal(document, pointer, 'change', 'the result would hold other values', 'Edit the file by hand')
}

function readAgain({ path }: Document, text: string): Parsed {
  return parseJson(path, new TextEncoder().encode(text))
}

function isWhatIsMeant(document: Document, parsed: Parsed, pointer: Pointer, value: unknown): boolean {
  return parsed.ok && isSameData(parsed.document.value, withValue(document.value, pointer, asJson(value)))
}

function refusal({ path }: Document, pointer: Pointer, doing: string, seen: string, hint: string): RlpError {
  const what = pointer.length === 0 ? 'the document' : `"${pointer.join('.')}"`
  return new RlpError('NOT_EDITABLE', `Cannot ${doing} ${what} in ${path}: ${seen}`, { hint })
}

/** As it reads back: -0 is written as 0. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function withValue(root: unknown, pointer: Pointer, value: unknown): unknown {
  const [step, ...rest] = pointer
  if (step === undefined) return value
  const parent = root as Record<string | number, unknown>
  const child = withValue(own(parent, step), rest, value)
  if (Array.isArray(root)) return root.map((item: unknown, index) => (index === step ? child : item))
  return { ...parent, [step]: child }
}
