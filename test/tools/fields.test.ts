// The fields of a tool against schemas/tools.v1.schema.json: places, numbers, limits of options, and that what is read is written again.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EXPORTERS } from '../../src/convert/exporters/index.ts'
import { FIELDS } from '../../src/model/conversion.ts'
import { LISTED_FIELDS, TOOL_FIELDS } from '../../src/tools/fields/index.ts'
import { readToolsV1, writeToolV1 } from '../../src/tools/v1.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly $defs?: Readonly<Record<string, Schema>>
}

const PUBLISHED = join(import.meta.dirname, '../../schemas/tools.v1.schema.json')
const { $defs } = JSON.parse(readFileSync(PUBLISHED, 'utf8')) as Schema
const TOOL = $defs?.['tool'] ?? assert.fail()

function schemaAt(place: readonly (string | undefined)[]): Schema {
  const found = place.reduce<Schema | undefined>(
    (schema, key) => (key === undefined ? schema : schema?.properties?.[key]),
    TOOL,
  )
  return found ?? assert.fail(place.join('.'))
}

/** Members of these have a field each. A budget is one value. */
const BLOCKS = ['observability', 'x-rlp']

test('every property of the schema has a field, and no field is without one', () => {
  const places = Object.entries(TOOL.properties ?? {}).flatMap(([key, { properties = {} }]) =>
    BLOCKS.includes(key) ? Object.keys(properties).map(inner => `${key}.${inner}`) : key,
  )
  assert.deepEqual(LISTED_FIELDS.map(([, { at }]) => at.join('.')).sort(), places.sort())
})

test('numbers have to be written in digits where the schema wants an integer', () => {
  const integers = Object.entries(TOOL.properties ?? {}).flatMap(([key, { properties = {} }]) =>
    Object.entries(properties).flatMap(([inner, { type }]) =>
      [type].flat().includes('integer') ? `${key}.${inner}` : [],
    ),
  )
  const digits = LISTED_FIELDS.flatMap(([, field]) =>
    field.digits === undefined ? [] : [...field.at, ...field.digits].join('.'),
  )
  assert.deepEqual(digits.sort(), integers.sort())
  assert.ok(integers.length > 2)
})

test('an option takes the numbers that the schema takes', () => {
  for (const [field, option] of [
    [TOOL_FIELDS.timeoutMs, TOOL_FIELDS.timeoutMs.flags['timeout-ms']],
    [TOOL_FIELDS.memoryMb, TOOL_FIELDS.memoryMb.flags['memory-mb']],
  ] as const) {
    const { minimum, maximum } = schemaAt(field.at)
    assert.deepEqual([option.min, option.max], [minimum, maximum])
  }
})

const LEAST = {
  id: 'x',
  description: 'x',
  transport: { kind: 'exec', command: '/x' },
  input_schema: true,
  result_schema: true,
}

test('what the schema has as an example is read and written again', () => {
  assert.deepEqual(Object.keys(LEAST), TOOL.required)
  for (const [name, { at }] of LISTED_FIELDS) {
    const [key, inner] = at
    const [example] = schemaAt(at).examples ?? assert.fail(name)
    const entry = { ...LEAST, [key]: inner === undefined ? example : { [inner]: example } }
    const [tool] = readToolsV1({ version: 1, tools: [entry] }).tools
    const written = writeToolV1(tool ?? assert.fail())
    assert.deepEqual(written, { ...entry, requires_confirmation: written['requires_confirmation'] }, name)
    assert.deepEqual(
      Object.keys(written),
      Object.keys(TOOL.properties ?? {}).filter(one => Object.hasOwn(written, one)),
      name,
    )
  }
})

test('what becomes of a field is told under its own name', () => {
  for (const [name, { at, fates }] of LISTED_FIELDS)
    assert.ok(fates === undefined || Object.hasOwn(FIELDS, at.at(-1) ?? ''), name)
})

test('every fact has a fate in every export format', () => {
  // Facts that only other systems state.
  const foreign = ['idempotent', 'other']
  const facts = Object.keys(FIELDS).filter(field => !foreign.includes(field))
  for (const { format, fates } of EXPORTERS) {
    assert.deepEqual(Object.keys(fates), facts, format)
    for (const [field, fate] of Object.entries(fates)) assert.ok(fate.note, `${format} ${field}`)
  }
})

test('a tool has its fields, whatever was added to Object.prototype', () => {
  const entry = { id: 'a.b', transport: { kind: 'exec', command: '/bin/true' }, requires_confirmation: true }
  const read = () => readToolsV1({ version: 1, tools: [entry] }).tools[0]
  const plain = read()
  assert.equal(plain?.requiresConfirmation, true)
  for (const added of [
    { get: () => false, set: () => {} },
    { value: false, writable: false },
  ]) {
    Object.defineProperty(Object.prototype, 'requiresConfirmation', { ...added, configurable: true })
    let tool: unknown
    try {
      tool = read()
    } finally {
      Reflect.deleteProperty(Object.prototype, 'requiresConfirmation')
    }
    assert.deepEqual(tool, plain)
    assert.ok(Object.hasOwn(Object(tool), 'requiresConfirmation'))
  }
})
