// The validators of Agent Tool records that the package exports: one for each schema of schemas/agent-tool, with its types.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { AgentTool } from '../../src/library/generated/convert.ts'
import { upTo } from '../support/runs.ts'

const FOLDER = 'schemas/agent-tool'
const schemas = readdirSync(FOLDER).map(file => ({
  kind: file.replace('.schema.json', '') as AgentTool.RecordName,
  schema: JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')),
}))
const ajv = new Ajv2020({ strict: false, logger: false, formats: { 'date-time': true } })

test('there is one for each schema, under its name too', () => {
  assert.deepEqual(Object.keys(AgentTool.RECORD_VALIDATORS).sort(), schemas.map(({ kind }) => kind).sort())
  assert.equal(schemas.length, 15)
  for (const { kind } of schemas) {
    const name = `validate${kind.replace(/(?:^|-)([a-z])/g, (_, first: string) => first.toUpperCase())}`
    assert.equal(Reflect.get(AgentTool, name), AgentTool.RECORD_VALIDATORS[kind], name)
  }
})

for (const { kind, schema } of schemas) {
  describe(kind, () => {
    const [example] = schema.examples as Record<string, unknown>[]
    const validate = AgentTool.RECORD_VALIDATORS[kind] as AgentTool.RecordValidator<unknown>

    test('its example fits, is handed back itself, and is of its kind', () => {
      const checked = validate(example)
      assert.ok(checked.ok)
      assert.equal(checked.record, example)
      assert.equal(AgentTool.recordKind(example), kind)
      assert.deepEqual(AgentTool.validateRecord(kind, { ...example, 'x-more': 1 }).ok, true)
    })

    for (const key of schema.required as string[]) {
      test(`without ${key} it does not`, () => {
        const { [key]: _, ...without } = example ?? {}
        const checked = validate(without)
        assert.ok(!checked.ok)
        assert.equal(checked.problems.length, 1)
        assert.match(checked.problems[0]?.message ?? '', new RegExp(`"${key}" is missing`))
        assert.notEqual(checked.problems[0]?.fix, '')
      })
    }

    test('what is no object does not, and is of no kind', () => {
      for (const value of [null, undefined, [], 'x', 5, true]) {
        const checked = validate(value)
        assert.ok(!checked.ok)
        assert.match(checked.problems[0]?.message ?? '', /^The record must be an object, found /)
        assert.equal(AgentTool.recordKind(value), undefined)
      }
    })

    test('for any change of a value: as the schema says, and never a throw', () => {
      const says = ajv.compile({ ...schema, $id: undefined })
      const key = fc.constantFrom(...Object.keys(schema.properties))
      fc.assert(
        fc.property(key, fc.jsonValue({ maxDepth: 2 }), (key, value) => {
          const record = { ...example, [key]: value }
          const checked = validate(record)
          assert.equal(checked.ok, says(record), JSON.stringify(record))
          if (!checked.ok) for (const { at } of checked.problems) assert.equal(at[0], key)
        }),
        { numRuns: upTo(60, 200) },
      )
    })
  })
}
