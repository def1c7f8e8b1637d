// Linked schemas → the function that ajv generates from them. The only file that loads ajv, and only if a schema is compiled.
import type { CodeKeywordDefinition, ValidateFunction } from 'ajv'
import type { LinkedSchemas } from './link.ts'
import { patternEngine } from './pattern-engine.ts'
import { documentKey, rewrite } from './rewrite.ts'
import { UNIQUE_ITEMS } from './unique-items.ts'

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
  // The root by its name too: other documents may refer back to it.
  for (const [index, document] of rewrite(linked).entries()) ajv.addSchema(document, documentKey(index))
  const validate = ajv.getSchema(documentKey(0)) as ValidateFunction
  // The engine compiles a function at its first call: a function that is too large should fail here, not on a value.
  validate({})
  return { validate, start }
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
