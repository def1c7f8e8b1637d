// Moves the misplaced members of schemas to where they belong, in the text of their file: every value is kept as it is written.

import { type JsonLayout, layoutOf } from '../../format/json/edit.ts'
import { parseJson } from '../../format/json/parse.ts'
import { walkSchemas } from '../../format/schema/walk.ts'
import { applySplices, type Splice } from '../../format/text/splice.ts'
import type { Document, Pointer, Range } from '../../model/document.ts'
import { isTable, own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { type Misplaced, misplacedIn } from './misplaced-members.ts'

/** A schema of a file. */
export interface SchemaAt {
  /** From the root of the file. */
  readonly at: Pointer
  /** Whether it is a tool's input or result. */
  readonly isInput: boolean
}

/** An argument that was moved may be an object with misplaced members itself. No tool nests them deeper. */
const MOST_ROUNDS = 8

/** The text with every member in its place; undefined if there is nothing to move. */
export function putRight(document: Document, schemas: readonly SchemaAt[]): string | undefined {
  let now = document
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const whole = layoutOf(now.text, now.locate([]))
    const splices = schemas.flatMap(schema => splicesFor(now, whole, schema))
    const text = splices.length === 0 ? undefined : applySplices(now.text, splices)
    const parsed = text === undefined ? undefined : parseJson(now.path, new TextEncoder().encode(text))
    if (parsed === undefined || !parsed.ok) break
    now = parsed.document
  }
  return now === document ? undefined : now.text
}

/** The schema with every member in its place; itself if there is nothing to move. */
export function putRightSchema(schema: JsonSchema, isInput: boolean): JsonSchema {
  const parsed = parseJson('', new TextEncoder().encode(JSON.stringify(schema)))
  const text = parsed.ok ? putRight(parsed.document, [{ at: [], isInput }]) : undefined
  return text === undefined ? schema : (JSON.parse(text) as JsonSchema)
}

function splicesFor(document: Document, whole: JsonLayout, { at, isInput }: SchemaAt): Splice[] {
  let schema = document.value
  for (const step of at) schema = own(schema as Record<string | number, unknown>, step)
  const done = new Set<string>()
  // The outer ones first. What is inside one that is written anew waits for the next round.
  const found = misplacedIn([...walkSchemas(schema)], isInput)
  return found
    .sort((a, b) => a.pointer.length - b.pointer.length)
    .flatMap(one => {
      const isInside = one.pointer.some((_, index) => done.has(JSON.stringify(one.pointer.slice(0, index))))
      done.add(JSON.stringify(one.pointer))
      return isInside ? [] : spliceFor(document, whole, [...at, ...one.pointer], one)
    })
}

interface Member {
  readonly name: string
  /** Of its value, as written. */
  readonly text: string
}

function spliceFor(
  document: Document,
  whole: JsonLayout,
  at: Pointer,
  { beside, inside }: Misplaced,
): Splice {
  const range = document.locate(at)
  const layout = layoutAt(document.text, whole, range)
  const members = membersAt(document, at)
  const [isBeside, isInside] = [new Set(beside), new Set(inside)]
  const hasTable = members.some(({ name }) => name === 'properties') && !isBeside.has('properties')
  const table = hasTable ? membersAt(document, [...at, 'properties']) : []
  const down = members
    .filter(({ name }) => isBeside.has(name))
    .map(({ name, text }) => ({ name, text: text.replaceAll('\n', `\n${layout.step}`) }))
  const inner = [...table.filter(({ name }) => !isInside.has(name)), ...down]
  const properties = { name: 'properties', text: objectText(inner, deeper(layout)) }
  const outer = members
    .filter(({ name }) => !isBeside.has(name))
    .map(member => (member.name === 'properties' ? properties : member))
  if (!hasTable) outer.splice(outer.findLastIndex(({ name }) => LEADING.includes(name)) + 1, 0, properties)
  for (const { name, text } of table.filter(({ name }) => isInside.has(name))) {
    const moved = { name, text: layout.step === '' ? text : text.replaceAll(`\n${layout.step}`, '\n') }
    const index = outer.findIndex(one => one.name === name)
    if (index === -1) outer.splice(LEADING.includes(name) ? 0 : outer.length, 0, moved)
    else if (name === 'required') outer[index] = union(outer[index] as Member, moved)
  }
  if (!outer.some(({ name }) => name === 'type')) outer.unshift({ name: 'type', text: '"object"' })
  return { range, text: objectText(outer, layout) }
}

/** Members that come before arguments by custom. */
const LEADING = ['$schema', '$id', 'type', 'title', 'description']

function union(one: Member, other: Member): Member {
  const names: unknown[] = [...JSON.parse(one.text), ...JSON.parse(other.text)]
  return { name: one.name, text: `[${[...new Set(names)].map(name => JSON.stringify(name)).join(', ')}]` }
}

/** In the order of the text. */
function membersAt(document: Document, at: Pointer): Member[] {
  let value = document.value
  for (const step of at) value = own(value as Record<string | number, unknown>, step)
  if (!isTable(value)) return []
  return Object.keys(value)
    .map(name => ({ name, range: document.locate([...at, name]) }))
    .sort((a, b) => a.range.start - b.range.start)
    .map(({ name, range }) => ({ name, text: document.text.slice(range.start, range.end) }))
}

/** How an object is written. */
interface ObjectLayout {
  readonly newline: string
  /** Of its members; undefined if they are on one line. */
  readonly indent: string | undefined
  /** Of its last bracket. */
  readonly closing: string
  /** What one level more is indented by. */
  readonly step: string
  /** Between the words of one line. */
  readonly gap: '' | ' '
}

/** In a file on one line nothing is between words. */
function layoutAt(text: string, { newline, unit }: JsonLayout, { start, end }: Range): ObjectLayout {
  const gap = unit === undefined ? '' : ' '
  const lead = /^\{[ \t\r]*\n([ \t]*)/.exec(text.slice(start, start + MOST_INDENT))
  const indent = unit === undefined ? undefined : lead?.[1]
  const closing = /\n([ \t]*)\}$/.exec(text.slice(Math.max(start, end - MOST_INDENT), end))?.[1] ?? ''
  return { newline, indent, closing, step: indent === undefined ? '' : (unit ?? ''), gap }
}

/** No indent is wider. */
const MOST_INDENT = 1000

function deeper(layout: ObjectLayout): ObjectLayout {
  const { indent, step } = layout
  return indent === undefined ? layout : { ...layout, indent: indent + step, closing: indent }
}

function objectText(members: readonly Member[], { newline, indent, closing, gap }: ObjectLayout): string {
  const written = members.map(({ name, text }) => `${JSON.stringify(name)}:${gap}${text}`)
  if (written.length === 0) return '{}'
  if (indent === undefined) return `{${gap}${written.join(`,${gap}`)}${gap}}`
  const line = `${newline}${indent}`
  return `{${line}${written.join(`,${line}`)}${newline}${closing}}`
}
