// import(export(x)) is x, up to what the export and the import said they changed; for every format that goes both ways.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { EXPORTERS } from '../../src/convert/exporters/index.ts'
import { withoutBooleans } from '../../src/convert/exporters/object-root.ts'
import { IMPORTERS } from '../../src/convert/importers/index.ts'
import type { RunChoice } from '../../src/convert/importers/run-choice.ts'
import type { ConversionChange, Field } from '../../src/model/conversion.ts'
import type { JsonSchema, Tool } from '../../src/model/tools.ts'
import { type SchemaObject, withInner } from '../../src/schema/walk.ts'
import { exported, imported, PLAIN } from '../support/conversion.ts'
import { upTo } from '../support/runs.ts'

/** Lists of tools for each format. */
const CASES = upTo(60, 250)

const words = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/)
const id = fc.oneof(
  fc.array(words, { minLength: 1, maxLength: 3 }).map(parts => parts.join('.')),
  fc.array(words, { minLength: 1, maxLength: 2 }).map(parts => parts.join('__')),
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9 /._-]{0,90}$/),
)
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter(one => one.trim() !== '')

const schema = fc.letrec<{ schema: JsonSchema }>(tie => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.boolean(),
    fc.record({ type: fc.constantFrom('string', 'integer', 'boolean', 'null') }),
    fc.record({ enum: fc.constant(['a', 'b']), description: text }, { requiredKeys: ['enum'] }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }, { requiredKeys: ['type'] }),
    objects(tie('schema')),
  ),
}))

function objects(inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  return fc
    .record({
      properties: fc.dictionary(words, inner, { maxKeys: 3 }),
      isClosed: fc.boolean(),
      isDemanding: fc.boolean(),
      description: fc.option(text, { nil: undefined }),
    })
    .map(({ properties, isClosed, isDemanding, description }) => ({
      type: 'object',
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(isDemanding && { required: Object.keys(properties) }),
      ...(isClosed && { additionalProperties: false }),
      ...(description !== undefined && { description }),
    }))
}

const input = fc.oneof(
  { weight: 8, arbitrary: objects(schema.schema) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonSchema>(true, {}, { type: ['object', 'null'] }, { properties: {} }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonSchema>(
      false,
      { type: 'string' },
      { type: 'object', anyOf: [{ required: ['a'] }] },
    ),
  },
)
const transport = fc.oneof(
  fc.record({
    kind: fc.constant('exec' as const),
    command: fc.constantFrom('/usr/bin/jq', '/opt/x/run'),
    args: fc.array(fc.constantFrom('-c', '.', 'a b', '', '{{input.a}}'), { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('http' as const),
    method: fc.constantFrom('GET', 'POST'),
    url: fc.constantFrom('https://a.example/x', 'https://b.example:8443/{{input.a}}'),
    headers: fc.constantFrom<Record<string, string>>({}, { 'X-A': 'b' }),
  }),
)
const tool: fc.Arbitrary<Tool> = fc.record({
  id,
  description: text,
  transport,
  inputSchema: input,
  resultSchema: schema.schema,
  schemaRefs: fc.constant({}),
  capabilities: fc.constantFrom<string[]>([], ['time'], ['kb_read:a', 'net:a.example']),
  secrets: fc.constantFrom<string[]>([], ['runloop/mail/key']),
  budget: fc.constantFrom(undefined, { tokens: 5 }, { usd: 0.5, tokens: 1 }),
  requiresConfirmation: fc.boolean(),
  tags: fc.constantFrom<string[]>([], ['a', 'b']),
  rlp: fc.record({
    stdin: fc.boolean(),
    timeoutMs: fc.constantFrom(undefined, 1, 1500, 60_000, 3_600_000),
    env: fc.constantFrom<string[]>([], ['TZ', 'API_BASE']),
  }),
})
const tools = fc.uniqueArray(tool, { minLength: 1, maxLength: 4, selector: one => one.id })

/** Fields that differ, in the words of changes. */
function differences(before: Tool, after: Tool): Field[] {
  const pairs: [field: Field, before: unknown, after: unknown][] = [
    ['id', before.id, after.id],
    ['description', before.description, after.description],
    [before.transport.kind === 'http' ? 'http' : 'command', before.transport, after.transport],
    ['input_schema', plain(before.inputSchema), plain(after.inputSchema)],
    ['result_schema', plain(before.resultSchema), plain(after.resultSchema)],
    ['capabilities', before.capabilities, after.capabilities],
    ['secrets', before.secrets, after.secrets],
    ['budget', before.budget, after.budget],
    ['requires_confirmation', before.requiresConfirmation, after.requiresConfirmation],
    ['tags', before.tags, after.tags],
    ['arguments', before.rlp.stdin, after.rlp.stdin],
    ['timeout_ms', before.rlp.timeoutMs, after.rlp.timeoutMs],
    ['env', before.rlp.env, after.rlp.env],
  ]
  return pairs.filter(([, a, b]) => !isDeepStrictEqual(data(a), data(b))).map(([field]) => field)
}

/** As it would be read from a file. */
function data(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

/** Schemas that say the same in other words: `{}` for `true`, and empty lists of properties or of what is required. */
function plain(schema: JsonSchema): unknown {
  const object = schema === true ? {} : schema === false ? { not: {} } : withoutBooleans(schema)
  // In the order of their names: a format may put them elsewhere.
  const members = Object.entries(withoutEmptyLists(object))
  return members.sort(([a], [b]) => (a < b ? -1 : 1))
}

function withoutEmptyLists(schema: SchemaObject): SchemaObject {
  const copy = withInner(schema, child => (typeof child === 'boolean' ? child : withoutEmptyLists(child)))
  const isEmpty = ([key, value]: [string, unknown]) =>
    (key === 'properties' || key === 'required') && Object.keys(value as object).length === 0
  return Object.fromEntries(Object.entries(copy).filter(member => !isEmpty(member)))
}

/** Read alone: requests of other APIs, whose tools are described in words of ours as well. */
const ONE_WAY: readonly string[] = ['anthropic', 'gemini']
const BOTH_WAYS = IMPORTERS.map(({ format }) => format).filter(format => !ONE_WAY.includes(format))

describe('round trips', () => {
  test('every format that is read is written', () => {
    for (const format of BOTH_WAYS) assert.ok(EXPORTERS.some(one => one.format === format))
  })

  for (const format of BOTH_WAYS) {
    for (const api of format === 'openai' ? (['chat', 'responses'] as const) : (['chat'] as const)) {
      test(`${format}${api === 'responses' ? ', responses' : ''}`, () => {
        let compared = 0
        let changed = 0
        fc.assert(
          fc.property(tools, before => {
            const out = exported(before, format, { api })
            const leftOut = before.length - out.tools
            // A tool that is left out is the one loss that needs no other word.
            const gone = before.filter(({ id }) =>
              out.changes.some(({ tool, message }) => tool === id && /the tool is left out/.test(message)),
            )
            assert.equal(gone.length, leftOut)
            if (out.tools === 0) return
            const run: RunChoice = { is: 'from', label: 'tools.json', tools: before }
            const names = new Map(Object.entries(out.names))
            const back = imported(out.document, format === 'agentcli' ? { names } : { names, run })
            assert.equal(back.format, format)
            const kept = before.filter(one => !gone.includes(one))
            assert.deepEqual(
              back.tools.map(({ tool }) => tool.id),
              kept.map(({ id }) => id),
            )
            for (const [index, one] of kept.entries()) {
              const after = back.tools[index]?.tool
              assert.ok(after)
              const name = [...names].find(([, id]) => id === one.id)?.[0] ?? one.id
              const said = new Set([...about(out.changes, one.id), ...about(back.changes, name)])
              for (const field of differences(one, after)) {
                assert.ok(said.has(field), `${field} of ${one.id} changed without a word`)
                changed++
              }
              compared++
            }
          }),
          { numRuns: CASES, seed: 20261121 },
        )
        // Records can hold all of a tool: then nothing may change at all.
        const isEnough = format === 'agent-tool' ? changed === 0 : changed > 0.08 * CASES
        assert.ok(compared > 0.4 * CASES && isEnough, `${compared} tools, ${changed} changes`)
      })
    }
  }

  function about(changes: readonly ConversionChange[], tool: string): Field[] {
    return changes.flatMap(change => (change.tool === tool ? change.field : []))
  }

  for (const format of BOTH_WAYS) {
    test(`${format}: a tool that the format can hold comes back as it was`, () => {
      const held: Tool = { ...PLAIN, id: 'query', rlp: { stdin: true, timeoutMs: 5000, env: ['TZ'] } }
      const out = exported([held], format)
      assert.deepEqual(
        out.changes.filter(({ what }) => what === 'lost'),
        [],
      )
      const run: RunChoice = { is: 'from', label: 'tools.json', tools: [held] }
      assert.deepEqual(
        imported(out.document, { run }).tools.map(({ tool }) => tool),
        [held],
      )
    })
  }
})
