// Linked schemas → the function that ajv generates from them. The only file that loads ajv, and only if a schema is compiled.
import type { CodeKeywordDefinition, ValidateFunction } from 'ajv'
import type { JsonSchema } from '../model/tools.ts'
import { isJudging } from './keywords.ts'
import type { LinkedSchemas } from './link.ts'
import { patternEngine } from './pattern-engine.ts'
import { UNIQUE_ITEMS } from './unique-items.ts'
import { withInner } from './walk.ts'

export type { ErrorObject, ValidateFunction } from 'ajv'

export interface Generated {
  readonly validate: ValidateFunction
  /** Call it before each value. */
  start(): void
}

/** @throws RangeError if the schema is too large for ajv or the engine, and ajv's own errors */
export async function generate(linked: LinkedSchemas): Promise<Generated> {
  // By the default export: the bundler gives CommonJS modules no other.
  const lib = (await import('ajv/dist/2020.js')).default
  const { engine, start } = patternEngine()
  const ajv = new lib.Ajv2020({ ...OPTIONS, code: { ...OPTIONS.code, regExp: engine } })
  for (const keyword of [UNIQUE_ITEMS, unevaluatedProperties(lib)]) {
    ajv.removeKeyword(keyword.keyword)
    ajv.addKeyword(keyword)
  }
  for (const [key, part] of partsOf(linked)) ajv.addSchema(part as object, key)
  const validate = ajv.getSchema(ROOT) as ValidateFunction
  // The engine compiles a function at its first call: a function that is too large should fail here, not on a value.
  validate({})
  return { validate, start }
}

/** ajv's name of the schema that values are checked with. */
const ROOT = 'part:0'

/**
 * The schema and each target of a reference, by the names that ajv knows them by. A part has nothing but the keywords that judge, and the
 * name of another part where a target begins: ajv has ways of its own with pointers, ids, anchors and unknown keywords.
 */
function partsOf({ documents, links }: LinkedSchemas): Map<string, JsonSchema> {
  const root = documents[0]?.schema as JsonSchema
  const names = new Map<JsonSchema, string>([[root, ROOT]])
  for (const { target } of links.values())
    if (typeof target?.schema === 'object' && !names.has(target.schema))
      names.set(target.schema, `part:${names.size}`)
  const copyOf = (schema: JsonSchema): JsonSchema => {
    if (typeof schema === 'boolean') return schema
    const members = Object.entries(schema).filter(([keyword]) => isJudging(keyword))
    const copy: Record<string, unknown> = {
      ...withInner(Object.fromEntries(members), child => {
        const name = typeof child === 'object' ? names.get(child) : undefined
        return name === undefined ? copyOf(child) : { $ref: name }
      }),
    }
    // ajv refuses to compile nullable anywhere else.
    if (copy['nullable'] !== true || copy['type'] === undefined) delete copy['nullable']
    const further: JsonSchema[] = []
    // Below `dependentSchemas` ajv may take the value for a schema. It does not look into lists.
    if (typeof copy['const'] === 'object') {
      further.push({ enum: [copy['const']] })
      delete copy['const']
    }
    const target = links.get(schema)?.target?.schema
    if (typeof target === 'object') copy['$ref'] = names.get(target)
    else if (target !== undefined) further.push(target)
    if (further.length > 0)
      copy['allOf'] = [...((copy['allOf'] as JsonSchema[] | undefined) ?? []), ...further]
    return copy
  }
  return new Map([...names].map(([schema, name]) => [name, copyOf(schema)]))
}

const OPTIONS = {
  strict: false,
  logger: false,
  // Already checked against the meta-schema, as lint does it.
  meta: false,
  validateSchema: false,
  validateFormats: false,
  // Collecting all errors would take schema times value.
  allErrors: false,
  // A required "constructor" must not be found on the prototype.
  ownProperties: true,
  addUsedSchema: false,
  messages: false,
  // A copy for each reference would turn a few hundred subschemas into a hundred thousand.
  inlineRefs: false,
  // For longer lists ajv makes a loop. One expression with a level of parentheses for each name would overflow the parser's stack.
  loopRequired: 10,
  loopEnum: 10,
  code: { optimize: 0 },
} as const

/**
 * Replaces ajv's own keyword, which compares all names in one expression (some 900 of them overflow the parser's stack), and which takes
 * an inherited `constructor` for a known name.
 */
function unevaluatedProperties({
  _,
  Name,
}: Pick<typeof import('ajv/dist/2020.js'), '_' | 'Name'>): CodeKeywordDefinition & { keyword: string } {
  return {
    keyword: 'unevaluatedProperties',
    type: 'object',
    schemaType: ['boolean', 'object'],
    trackErrors: true,
    error: {
      message: '',
      params: ({ params }) => _`{unevaluatedProperty: ${params['unevaluatedProperty']}}`,
    },
    code(cxt) {
      const { gen, schema, data, errsCount, it } = cxt
      const seen = it.props
      it.props = true
      if (seen === true || schema === true || errsCount === undefined) return
      // Known only while a value is checked, or already now.
      const names =
        seen instanceof Name ? seen : gen.scopeValue('obj', { ref: new Set(Object.keys(seen ?? {})) })
      const hasOwn = gen.scopeValue('func', { ref: Object.hasOwn })
      gen.forIn('key', data, key => {
        const isSeen =
          seen instanceof Name
            ? _`${names} === true || (${names} && ${hasOwn}(${names}, ${key}))`
            : _`${names}.has(${key})`
        gen.if(_`!(${isSeen})`, () => {
          if (schema === false) {
            cxt.setParams({ unevaluatedProperty: key })
            cxt.error()
            gen.break()
            return
          }
          const valid = gen.name('valid')
          cxt.subschema({ keyword: 'unevaluatedProperties', dataProp: key }, valid)
          gen.if(_`!${valid}`, () => gen.break())
        })
      })
      cxt.ok(_`${errsCount} === errors`)
    },
  }
}
