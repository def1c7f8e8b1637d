// Two JSON Schemas → where one accepts a value that the other does not. Sound and incomplete: `breaking` only where such a value is known
// to exist, silence only where none can; everything between is `not decided`. Both are parsed JSON, so their depth is bounded.
import { isSameData } from './same-data.ts'
import { isOf } from './schema-type.ts'
import { isSchemaObject, type SchemaObject } from './schema-walk.ts'

/** Whether a schema is sent to, and may only accept more, or is answered by, and may only promise more. */
export type SchemaSide = 'input' | 'result'

/** A place where something may be, or is, taken away. */
export interface SchemaGap {
  /** JSON pointer from the schema's root; empty for the root. */
  readonly at: string
  readonly is: 'breaking' | 'not decided'
  readonly message: string
}

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string'] as const
const UNDERSTOOD = new Set(['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const'])
/** No value is judged by them. Definitions count only for references, and those are asked about by themselves. */
const SILENT =
  /^(?:title|description|examples|deprecated|readOnly|writeOnly|\$comment|\$schema|\$defs|definitions|x-.*)$/

/**
 * @param wide what has to accept everything: the new schema of an input, the old one of a result
 * @param narrow what is accepted by the other
 * @param areRefsSame whether a reference means in both what it says
 */
export function* gapsIn(
  wide: unknown,
  narrow: unknown,
  about: { readonly side: SchemaSide; readonly areRefsSame: boolean },
  at = '',
): Generator<SchemaGap> {
  if (wide === true || narrow === false) return
  const unsure = (message: string): SchemaGap => ({ at, is: 'not decided', message })
  const loses = about.side === 'input' ? 'no longer accepts' : 'may now be'
  if (wide === false) {
    const is = isSatisfiable(narrow) ? 'breaking' : 'not decided'
    yield { at, is, message: `${loses} any value` }
    return
  }
  const [w, n] = [wide, narrow === true ? {} : narrow]
  if (!isWellFormed(w) || !isWellFormed(n)) {
    if (!isSameData(w, n)) yield unsure('is not read by this build')
    return
  }
  const others = [...new Set([...Object.keys(w), ...Object.keys(n)])].filter(
    key => !UNDERSTOOD.has(key) && !SILENT.test(key),
  )
  for (const key of others) {
    if (!isSameData(w[key], n[key])) yield unsure(`${key} changed`)
    else if (!about.areRefsSame && mentionsRef({ [key]: w[key] }))
      yield unsure('refers to a schema that may have changed')
  }
  // Only of a narrow schema that is understood whole it is known which values it accepts.
  const isKnown = !Object.keys(n).some(key => !UNDERSTOOD.has(key) && !SILENT.test(key))
  for (const gap of understood(w, n)) yield isKnown ? gap : { ...gap, is: 'not decided' }

  function* understood(w: SchemaObject, n: SchemaObject): Generator<SchemaGap> {
    const broken = (message: string): SchemaGap => ({ at, is: 'breaking', message })
    const values = listed(n)
    if (values !== undefined) {
      if (isSameData([w['enum'], w['const']], [n['enum'], n['const']]) && isSameData(w['type'], n['type']))
        return
      const lost = values.filter(value => !takes(w, value))
      if (values.some(value => typeof value === 'object' && value !== null))
        yield unsure('its listed values changed')
      else if (lost.length > 0)
        yield broken(`${loses} ${lost.slice(0, 5).map(value => JSON.stringify(value))}`)
      return
    }
    const types = typesOf(n)
    if (listed(w) !== undefined) {
      const isEndless = types.includes('string') || types.includes('number') || types.includes('integer')
      yield (isEndless ? broken : unsure)(`${loses} ${about.side === 'input' ? 'more than' : 'other than'} listed values`)
      return
    }
    const isObjectKnown = isSatisfiable({ ...n, type: 'object' })
    const allowed = typesOf(w)
    const lost = types.filter(type => !covers(allowed, type))
    if (lost.length > 0) {
      const is = isObjectKnown || lost.some(type => type !== 'object') ? broken : unsure
      yield is(`${loses} ${lost.join(' or ')}`)
    }
    if (types.includes('object') && allowed.includes('object')) {
      for (const gap of objects(w, n)) yield isObjectKnown ? gap : { ...gap, is: 'not decided' }
    }
    if (types.includes('array') && allowed.includes('array'))
      yield* gapsIn(w['items'] ?? true, n['items'] ?? true, about, `${at}/items`)
  }

  function* objects(w: SchemaObject, n: SchemaObject): Generator<SchemaGap> {
    const demanded = new Set(namesIn(n))
    for (const name of new Set(namesIn(w))) {
      const message =
        about.side === 'input' ? `${quote(name)} is required now` : `${quote(name)} is no longer promised`
      if (!demanded.has(name)) yield { at, is: 'breaking', message }
    }
    const [wide, narrow] = [propertiesOf(w), propertiesOf(n)]
    for (const name of new Set([...Object.keys(wide), ...Object.keys(narrow)])) {
      const place = `${at}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      const isDescribed = Object.hasOwn(narrow, name)
      for (const gap of gapsIn(propertyOf(w, name), propertyOf(n, name), about, place)) {
        if (isDescribed || n['additionalProperties'] !== undefined) yield gap
        // Nobody said that it was there: what people sent under its name is not known.
        else {
          const when = about.side === 'input' ? 'before' : 'any more'
          yield { at: place, is: 'not decided', message: `was not described ${when}`.replace('was not described any', 'is not described any') }
          break
        }
      }
    }
    yield* gapsIn(
      w['additionalProperties'] ?? true,
      n['additionalProperties'] ?? true,
      about,
      `${at}/additionalProperties`,
    )
  }
}

/** Whether a reference stands anywhere in plain data. A property that is called `$ref` counts too: then less is decided. */
export function mentionsRef(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, item]) => /^\$(?:dynamic|recursive)?ref$/i.test(key) || mentionsRef(item))
}

function isWellFormed(schema: unknown): schema is SchemaObject {
  if (!isSchemaObject(schema)) return false
  const { type, properties, required } = schema
  const isType = (one: unknown) => one === 'integer' || TYPES.some(known => known === one)
  const isList = (list: unknown) => Array.isArray(list) && list.every(item => typeof item === 'string')
  return (
    (type === undefined || (Array.isArray(type) ? type.every(isType) : isType(type))) &&
    (properties === undefined || isSchemaObject(properties)) &&
    (required === undefined || isList(required)) &&
    (schema['enum'] === undefined || Array.isArray(schema['enum']))
  )
}

function typesOf({ type }: SchemaObject): readonly unknown[] {
  return type === undefined ? TYPES : [type].flat()
}

function covers(allowed: readonly unknown[], type: unknown): boolean {
  return allowed.includes(type) || (type === 'integer' && allowed.includes('number'))
}

/** The values that `enum` and `const` leave, where they say anything. */
function listed(schema: SchemaObject): readonly unknown[] | undefined {
  const { enum: values, const: only } = schema
  if (!Array.isArray(values) && !Object.hasOwn(schema, 'const')) return undefined
  const all = Array.isArray(values) ? values : [only]
  return all.filter(value => takes(schema, value))
}

/** Of a scalar only these can say no. */
function takes(schema: SchemaObject, value: unknown): boolean {
  const { enum: values, const: only } = schema
  return (
    typesOf(schema).some(type => isOf(value, type)) &&
    (!Array.isArray(values) || values.some(one => isSameData(one, value))) &&
    (!Object.hasOwn(schema, 'const') || isSameData(only, value))
  )
}

/** True only where a value is known to be accepted. */
function isSatisfiable(schema: unknown): boolean {
  if (typeof schema === 'boolean') return schema
  if (!isWellFormed(schema)) return false
  if (Object.keys(schema).some(key => !UNDERSTOOD.has(key) && !SILENT.test(key))) return false
  const values = listed(schema)
  if (values !== undefined) return values.some(value => typeof value !== 'object' || value === null)
  const types = typesOf(schema)
  if (types.some(type => type !== 'object')) return true
  return types.length > 0 && namesIn(schema).every(name => isSatisfiable(propertyOf(schema, name)))
}

function propertiesOf({ properties }: SchemaObject): SchemaObject {
  return isSchemaObject(properties) ? properties : {}
}

function propertyOf(schema: SchemaObject, name: string): unknown {
  const properties = propertiesOf(schema)
  return Object.hasOwn(properties, name) ? properties[name] : (schema['additionalProperties'] ?? true)
}

function namesIn({ required }: SchemaObject): readonly string[] {
  return Array.isArray(required) ? required : []
}

function quote(name: string): string {
  return JSON.stringify(name)
}
