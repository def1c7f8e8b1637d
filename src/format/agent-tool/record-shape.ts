// interfaces.json → where its records differ from their schemas in schemas/agent-tool/, in the same words as every other shape.
import type { ShapeProblem } from '../../model/document.ts'
import { type RecordSchema, recordSchemas } from '../generated/records.js'
import type { RawError } from '../generated/validators.js'
import { MAX_SHAPE_PROBLEMS } from '../schema/check.ts'
import { toProblem } from '../schema/raw-errors.ts'
import { type RecordName, recordName } from './record-name.ts'
import { elementsIn, INTERFACES_FILE, isRecordObject, type RecordObject } from './records.ts'

const SPEECH = { language: 'json', root: INTERFACES_FILE, ours: true } as const

/** Empty when there is no difference; at most {@link MAX_SHAPE_PROBLEMS}, and then one more that says so. */
export function checkRecords(value: unknown): ShapeProblem[] {
  const elements = elementsIn(value)
  if (elements === undefined) return [notRecords(value)]
  const problems: ShapeProblem[] = []
  for (const { at, value } of elements) {
    for (const error of recordErrors(value)) {
      if (problems.length === MAX_SHAPE_PROBLEMS) {
        const message = 'There are more problems than are listed'
        const fix = 'Correct what is listed, then check again'
        return [...problems, { pointer: [], part: 'value', message, fix, keyword: 'limit' }]
      }
      problems.push(toProblem(error, at, value, SPEECH))
    }
  }
  return problems
}

/** One record against its schema, or against that of the kind that is asked for. */
export function* recordErrors(value: unknown, name?: RecordName): Generator<RawError> {
  if (!isRecordObject(value)) return yield typeError('', 'object', value, {})
  const schema = recordSchemas[name ?? recordName(value)]
  yield* missing(value, schema)
  for (const [key, child] of Object.entries(value)) {
    const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
    if (property !== undefined) yield* valueErrors(child, `/${escaped(key)}`, property)
  }
}

function* missing(value: RecordObject, schema: RecordSchema): Generator<RawError> {
  for (const missingProperty of schema.required) {
    if (Object.hasOwn(value, missingProperty)) continue
    const parentSchema: RawError['parentSchema'] = { ...schema }
    yield {
      instancePath: '',
      keyword: 'required',
      params: { missingProperty },
      schema: schema.required,
      parentSchema,
      data: value,
    }
  }
}

/** The keywords that these schemas use; a test holds the schemas to them. */
function* valueErrors(
  data: unknown,
  instancePath: string,
  schema: RawError['parentSchema'],
): Generator<RawError> {
  const { type, enum: allowedValues, items, minimum, maximum } = schema
  const about = { instancePath, parentSchema: schema, data }
  if (type !== undefined && ![type].flat().some(one => isOf(String(one), data))) {
    return yield typeError(instancePath, type, data, schema)
  }
  if (Array.isArray(allowedValues) && !allowedValues.includes(data)) {
    yield { ...about, keyword: 'enum', params: { allowedValues }, schema: allowedValues }
  }
  if (typeof minimum === 'number' && Number(data) < minimum) {
    yield { ...about, keyword: 'minimum', params: { limit: minimum }, schema: minimum }
  }
  if (typeof maximum === 'number' && Number(data) > maximum) {
    yield { ...about, keyword: 'maximum', params: { limit: maximum }, schema: maximum }
  }
  if (!Array.isArray(data) || !isRecordObject(items)) return
  for (const [index, element] of data.entries())
    yield* valueErrors(element, `${instancePath}/${index}`, items)
}

function typeError(
  instancePath: string,
  type: unknown,
  data: unknown,
  parentSchema: RawError['parentSchema'],
): RawError {
  return { instancePath, keyword: 'type', params: { type }, schema: type, parentSchema, data }
}

function isOf(type: string, data: unknown): boolean {
  if (type === 'object') return isRecordObject(data)
  if (type === 'array') return Array.isArray(data)
  if (type === 'integer') return Number.isInteger(data)
  return typeof data === type
}

/** As a JSON pointer writes it. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

function notRecords(value: unknown): ShapeProblem {
  const found = isRecordObject(value)
    ? 'an object without records'
    : value === null
      ? 'null'
      : `a ${typeof value}`
  const message = `${INTERFACES_FILE} must be a list of Agent Tool records, found ${found}`
  return { pointer: [], part: 'value', message, fix: 'Write [ … ], or { "records": [ … ] }', keyword: 'type' }
}
