// A document may hold {"toString": 1}: `String()` of it throws, and so does whatever sorts, joins or compares it. Such a value in every place of
// everything that is read must get an answer like any other wrong value. In one of eight places here, in all of them in `.ci/run`.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fixtureTree, textOf } from '../../scripts/torture/fixture-tree.ts'
import { ENVELOPES, OTHERS } from '../../scripts/torture/targets/contract.ts'
import { TARGETS } from '../../scripts/torture/targets/index.ts'
import { RlpError } from '../../src/model/error.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { temporary } from '../support/folder.ts'
import { slice } from '../support/runs.ts'
import { type Json, toml, wrongTypes } from '../support/wrong-types.ts'

const folderFor = temporary('values')
const VALUE = { toString: 1, valueOf: 1, toJSON: 1, length: -1 }

const AGENT = fixtureTree('every-transport')
const TOOLS = JSON.parse(textOf(AGENT, 'tools.json'))
const INTERFACES = JSON.parse(textOf(fixtureTree('interfaces'), 'interfaces.json'))
/** Every keyword there is. */
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://example.org/a',
  $anchor: 'x',
  $dynamicAnchor: 'y',
  $comment: 'c',
  title: 't',
  description: 'd',
  type: ['object', 'null'],
  format: 'date',
  pattern: 'a+',
  enum: ['a', 1],
  const: 'a',
  default: 'a',
  examples: ['a'],
  minimum: 1,
  exclusiveMaximum: 3,
  multipleOf: 1,
  maxLength: 2,
  minItems: 1,
  uniqueItems: true,
  maxProperties: 3,
  required: ['a'],
  dependentRequired: { a: ['b'] },
  properties: { a: { $ref: '#/$defs/b' }, internal: { 'x-internal': true, type: 'string' } },
  patternProperties: { '^x': { type: 'string' } },
  additionalProperties: false,
  propertyNames: { pattern: 'a' },
  items: { type: 'string' },
  prefixItems: [{ type: 'string' }],
  contains: { type: 'string' },
  minContains: 1,
  allOf: [{ type: 'object' }],
  anyOf: [{ type: 'object' }],
  oneOf: [{ type: 'object' }],
  not: { type: 'string' },
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { type: 'object' },
  else: { type: 'object' },
  dependentSchemas: { a: { type: 'object' } },
  unevaluatedProperties: false,
  unevaluatedItems: false,
  $defs: { b: { type: 'string' } },
  definitions: { c: { type: 'string' } },
  dependencies: { a: ['b'] },
  readOnly: true,
  deprecated: true,
  contentEncoding: 'base64',
  contentSchema: { type: 'string' },
  nullable: true,
  'x-order': 1,
}
const DOCUMENTS: readonly (readonly [what: string, target: string, documents: readonly Json[]])[] = [
  ['manifest.toml', 'manifest', [fromToml('manifest.toml')]],
  ['policy.caps', 'policy', [fromToml('policy.caps')]],
  ['tools.json', 'tools', [TOOLS]],
  ['a schema', 'schema', [SCHEMA]],
  ['interfaces.json', 'interfaces', [INTERFACES, twice(INTERFACES)]],
  ['tools to export', 'export', [TOOLS]],
  ['tools to import', 'import', [TOOLS, ...OTHERS]],
  ['a file of agentcli’s kind', 'agentcli', [TOOLS, ...OTHERS]],
  ['a result', 'results', ENVELOPES],
]

describe('a value that has no text', () => {
  for (const [what, name, documents] of DOCUMENTS) {
    test(`in every place of ${what}`, async () => {
      const target = TARGETS.find(one => one.name === name)
      assert.ok(target !== undefined)
      const folder = folderFor(name)
      const write = name === 'manifest' || name === 'policy' ? toml : JSON.stringify
      const wrongs = documents.flatMap(document => wrongTypes(document, [VALUE]))

      assert.ok(wrongs.length > 5)
      for (const { what: place, document } of slice(wrongs, 8)) {
        try {
          assert.notEqual(await target.answer(Buffer.from(write(document)), folder), '')
        } catch (error) {
          if (!(error instanceof RlpError)) throw new Error(`no answer to ${place}`, { cause: error })
        }
      }
    })
  }
})

function fromToml(path: string): Json {
  const read = parseToml(path, Buffer.from(textOf(AGENT, path)))
  assert.ok(read.ok)
  return read.document.value as Json
}

/** Every record a second time, with the value as its tool: what finds them alike writes down in what. */
function twice({ records }: { readonly records: readonly object[] }): Json {
  const nameless = records.map(record => ({ ...record, tool_id: VALUE }))
  return JSON.parse(JSON.stringify({ records: [...nameless, ...nameless] })) as Json
}
