// Document + new values for what it holds → the file's new text. Every byte that need not change stays.
import type { Document, Pointer, Range } from '../../model/document.ts'
import { RlpError } from '../../model/error.ts'
import { isTable, own } from '../../model/own.ts'
import { valueAt } from '../pointer.ts'
import { applySplices } from '../text/splice.ts'
import { asText, insertion, type JsonLayout, layoutOf, lineIndent } from './edit.ts'
import { JsonIndex, type JsonMember } from './index.ts'
import { parseJson } from './parse.ts'
import { isSameData } from './same-data.ts'

/**
 * The text of `document` with `value` at `pointer`, in the file's own layout. Of two objects only the members that differ are written.
 * @param pointer of a value that is there
 * @throws RlpError NOT_EDITABLE if the result would not read back as expected
 */
export function changeValue(document: Document, pointer: Pointer, value: unknown): string {
  const layout = layoutIn(document)
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
  const layout = layoutIn(document)
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

function layoutIn({ text }: Document): JsonLayout {
  return layoutOf(text, new JsonIndex(text).root().value)
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
      : inserted(now, pointer, key, value, layout)
  return now
}

function replaced(text: string, pointer: Pointer, value: unknown, layout: JsonLayout): string {
  const index = new JsonIndex(text)
  const { member } = index.find(pointer)
  const { start, end } = member.value
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

function inserted(text: string, pointer: Pointer, key: string, value: unknown, layout: JsonLayout): string {
  const index = new JsonIndex(text)
  const container = index.find(pointer).member.value
  const member = (indent: string | undefined) =>
    `${JSON.stringify(key)}:${indent === undefined ? '' : ' '}${asText(value, layout, indent)}`
  const part = insertion(text, container, index.last(container.start), layout, member)
  return text.slice(0, part.at) + part.text + text.slice(part.at)
}

/** The text without one member or element, and without the comma that it needed. */
function without(text: string, pointer: Pointer, step: string | number): string {
  const index = new JsonIndex(text)
  const container = index.find(pointer).member.value
  const range = cutOf(index, pointer, step, container, text)
  return text.slice(0, range.start) + text.slice(range.end)
}

function cutOf(
  index: JsonIndex,
  pointer: Pointer,
  step: string | number,
  container: Range,
  text: string,
): Range {
  const value = JSON.parse(text.slice(container.start, container.end)) as object
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  const startOf = ({ key, value }: JsonMember) => key?.start ?? value.start
  const members = steps
    .map(step => ({ step, member: index.find([...pointer, step]).member }))
    .sort((a, b) => startOf(a.member) - startOf(b.member))
  const place = members.findIndex(other => other.step === step)
  const [previous, { member }, next] = [
    members[place - 1],
    members[place] as (typeof members)[number],
    members[place + 1],
  ]
  if (previous !== undefined) return { start: previous.member.value.end, end: member.value.end }
  if (next !== undefined) return { start: startOf(member), end: startOf(next.member) }
  return { start: container.start + 1, end: container.end - 1 }
}

function checked(document: Document, text: string, pointer: Pointer, value: unknown): string {
  const parsed = parseJson(document.path, new TextEncoder().encode(text))
  const isRight =
    parsed.ok && isSameData(parsed.document.value, withValue(document.value, pointer, asJson(value)))
  if (isRight) return text
  const what = pointer.length === 0 ? 'the document' : `"${pointer.join('.')}"`
  throw new RlpError(
    'NOT_EDITABLE',
    `Cannot change ${what} in ${document.path}: the result would hold other values`,
    { hint: 'Edit the file by hand' },
  )
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
