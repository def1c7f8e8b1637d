// interfaces.json: Agent Tool records against their schemas, ours and the published ones, their defaults, and the rules about them. The
// cases of that system are in cases/agent-tool.ts.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { read } from '../../src/agent/read-agent.ts'
import { DEFAULTED, defaultOf, type ToolFacts, withDefaults } from '../../src/agent-tool/defaults.ts'
import { inferredFields } from '../../src/agent-tool/flags.ts'
import { expectedOf, isField, PARTITIONS, type ToolInterface } from '../../src/agent-tool/interface-fields.ts'
import { ERROR_CLASSES, ERRORS_AT, endingOf, type Phase } from '../../src/agent-tool/pipeline.ts'
import { checkRecords, recordErrors } from '../../src/agent-tool/record-shape.ts'
import { type RecordName, recordName, recordsIn } from '../../src/agent-tool/records.ts'
import { EMPTY_RESULTS, isFlagText, isKnownVersion, WORDS } from '../../src/agent-tool/vocabulary.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { checkJsonSchema } from '../../src/schema/check.ts'
import { recordSchemas } from '../../src/schema/generated/records.js'
import { findingLine } from '../support/lint-fixtures.ts'
import { memoryFiles } from '../support/memory.ts'
import { upTo } from '../support/runs.ts'

const ROOT = join(import.meta.dirname, '../..')
const SHARED = join(ROOT, '../shared/cases')
const skip = existsSync(SHARED) ? false : 'the shared inputs are not here'
const NAMES = Object.keys(recordSchemas()) as RecordName[]

interface Schema {
  readonly title: string
  readonly description: string
  readonly examples: readonly Readonly<Record<string, unknown>>[]
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const ours = (name: string): Schema =>
  JSON.parse(readFileSync(join(ROOT, `schemas/agent-tool/${name}.schema.json`), 'utf8'))
const published = (name: string): object =>
  JSON.parse(readFileSync(join(SHARED, `agent-tool-schemas/agenttool-${name}.schema.json`), 'utf8'))
/** For all schemas of a list: each would read the meta-schema again. */
const newAjv = () => new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, verbose: true })
const fits = (value: unknown, name: RecordName) => [...recordErrors(value, name)].length === 0

describe('the schemas of the records', () => {
  test('each file is a kind that is compiled', () => {
    const files = readdirSync(join(ROOT, 'schemas/agent-tool')).map(file => file.replace('.schema.json', ''))
    assert.deepEqual(files.sort(), [...NAMES].sort())
  })

  const ajv = newAjv()
  for (const name of NAMES) {
    const schema = ours(name)
    test(`${name}: is a schema that says what it is about, with examples that fit`, () => {
      assert.deepEqual(checkJsonSchema(schema), [])
      const validate = ajv.compile(schema)
      for (const { title, description, examples } of [schema, ...Object.values(schema.properties)]) {
        assert.match(String(title), /^[A-Z].*[^.]$/)
        assert.match(String(description), /^\S.{3,}\.$/)
        assert.ok(Array.isArray(examples) && examples.length > 0)
      }
      const whole = schema.examples[0] ?? {}
      for (const [key, { examples }] of Object.entries(schema.properties)) {
        const value = { ...whole, [key]: (examples as unknown[])[0] }
        assert.equal(validate(value), true, key)
        assert.equal(fits(value, name), true, key)
      }
    })

    test(`${name}: has no keyword that our reader does not know`, () => {
      const known = ['title', 'description', 'examples', 'type', 'enum', 'items', 'minimum', 'maximum']
      for (const [key, property] of Object.entries(schema.properties)) {
        assert.deepEqual(
          Object.keys(property).filter(word => !known.includes(word)),
          [],
          key,
        )
        assert.ok(
          property['items'] === undefined || Object.keys(property['items'] as object).join() === 'type',
        )
      }
      assert.deepEqual(Object.keys(schema).sort(), [
        '$id',
        '$schema',
        'description',
        'examples',
        'properties',
        'required',
        'title',
        'type',
      ])
    })
  }

  test('a record is known by the id it has for itself', () => {
    for (const name of NAMES) assert.equal(recordName(ours(name).examples[0] ?? {}), name)
    assert.equal(recordName({ schema_version: '0.2.0', tool_id: 'a' }), 'tool-interface')
    assert.equal(recordName({ tool_id: 'a', namespace: 'n', interface_ref: 'i' }), 'tool-declaration')
    assert.equal(recordName({ result_id: 'r', decision_id: 'd', strategy: 'inline' }), 'result-persistence')
  })
})

describe('the published schemas', { skip }, () => {
  const ajv = newAjv()
  for (const name of NAMES) {
    test(`${name}: whatever the record, ours gives the same verdict`, { skip }, () => {
      const validate = ajv.compile(published(name))
      const { properties, examples } = ours(name)
      const value = fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(0, -1, 100.5, 101, 'inline', 'allow', true, null, [], ['a'], [{}], {}),
        fc.constantFrom(...Object.values(properties).map(property => (property['examples'] as unknown[])[0])),
        fc.constantFrom(
          ...Object.values(properties).flatMap(property => (property['enum'] as unknown[]) ?? ['x']),
        ),
      )
      const record = fc
        .dictionary(fc.constantFrom(...Object.keys(properties), 'other'), value, { maxKeys: 3 })
        .chain(part =>
          fc.subarray(Object.keys(examples[0] ?? {})).map(kept => ({
            ...Object.fromEntries(kept.map(key => [key, examples[0]?.[key]])),
            ...part,
          })),
        )
      const seen = { true: 0, false: 0 }
      fc.assert(
        fc.property(
          fc.oneof({ weight: 20, arbitrary: record }, { weight: 1, arbitrary: fc.jsonValue() }),
          value => {
            const verdict = validate(value)
            seen[`${verdict}`]++
            assert.equal(fits(value, name), verdict)
          },
        ),
        // A seed of its own: whether both verdicts were met must not be left to chance.
        { numRuns: upTo(75, 300), seed: 20261120 },
      )
      assert.ok(seen.true > 0 && seen.false > 0, JSON.stringify(seen))
    })
  }

  test('our words are those of the published lists', () => {
    const { vocabularies } = JSON.parse(readFileSync(join(SHARED, 'agent-tool.json'), 'utf8'))
    const words = Object.assign({}, ...Object.values(WORDS)) as Record<string, readonly string[]>
    assert.deepEqual(words, {
      tool_kind: vocabularies.tool_kinds,
      interrupt_behavior: vocabularies.interrupt_behavior,
      // Named there, without words: these are ours.
      empty_result_policy: EMPTY_RESULTS,
      execution_kind: vocabularies.execution_kinds,
      access_kinds: vocabularies.access_kinds,
      write_effects: vocabularies.write_effects,
      scope: vocabularies.surface_scopes,
    })
  })

  test('our partitions, endings and errors are those of the published lists', () => {
    const { vocabularies } = JSON.parse(readFileSync(join(SHARED, 'agent-tool.json'), 'utf8'))
    assert.deepEqual(PARTITIONS, vocabularies.partitions)
    const { error_classes: errors, error_classes_only_in_pipeline_table: more } = vocabularies
    assert.deepEqual([...ERROR_CLASSES].sort(), [...errors, ...more].sort())
    for (const [phase, possible] of Object.entries(ERRORS_AT)) {
      for (const error of possible) {
        const { result_status, invocation_status } = endingOf(phase as Phase, error as never)
        assert.ok(vocabularies.result_statuses.includes(result_status), `${phase} ${error}`)
        assert.ok(vocabularies.invocation_states.includes(invocation_status), `${phase} ${error}`)
      }
    }
    const said = new Set<string>(Object.values(ERRORS_AT).flat())
    assert.deepEqual(
      ERROR_CLASSES.filter(error => !said.has(error)),
      [],
    )
  })
})

describe('the file', () => {
  const good = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'a' }
  const lines = (value: unknown) =>
    checkRecords(value).map(({ pointer, message, fix }) => `${pointer.join('/')}: ${message}. ${fix}`)

  test('is a list, an object with the list, or one record', () => {
    for (const value of [[], [good], { records: [good] }, { records: [], 'x-own': 1 }, good]) {
      assert.deepEqual(lines(value), [])
    }
    assert.deepEqual(
      recordsIn({ records: [good, good] }).map(({ at }) => at),
      [
        ['records', 0],
        ['records', 1],
      ],
    )
    assert.deepEqual(recordsIn(good)[0]?.at, [])
    for (const [value, found] of [
      [null, 'null'],
      ['a', 'a string'],
      [{}, 'an object without records'],
      [{ records: good }, 'an object without records'],
      [{ interfaces: [good] }, 'an object without records'],
    ]) {
      assert.deepEqual(lines(value), [
        `: interfaces.json must be a list of Agent Tool records, found ${found}. Write [ … ], or { "records": [ … ] }`,
      ])
    }
  })

  test('says of each record where it is wrong', () => {
    const value = {
      records: [
        { ...good, strict: 'yes', aliases: ['a', 1], 'a/b~': 1, schema_visibility: 'load' },
        'x',
        { schema_version: '0.2.0', permission_profile_id: 'p' },
        { ...good, max_inline_chars: 1.5 },
      ],
    }
    assert.deepEqual(lines(value), [
      'records/0/strict: strict must be true or false, found a string. Write true or false',
      'records/0/aliases/1: aliases[1] must be a string, found a number. Write "1"',
      'records/0/schema_visibility: schema_visibility must be "loaded", "deferred", "internal" or "native_ref", found "load". Write "loaded"',
      'records/1: records[1] must be an object, found a string. Write an object',
      'records/2: "risk_level" is missing. Add it, for example "risk_level": "medium"',
      'records/3/max_inline_chars: max_inline_chars must be a whole number, found 1.5. For example "max_inline_chars": 50000',
    ])
  })

  test('lists a hundred problems, and says that there are more', () => {
    const problems = checkRecords(Array.from({ length: 60 }, () => ({ tool_id: 1 })))
    assert.equal(problems.length, 101)
    assert.equal(problems.at(-1)?.message, 'There are more problems than are listed')
    assert.equal(problems.at(-1)?.keyword, 'limit')
  })
})

describe('defaults', () => {
  const record: ToolInterface = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'a' }
  const facts = fc.record(
    {
      toolKind: fc.constantFrom('function', 'shell_command', 'custom', 'x'),
      reaches: fc.subarray(['network', 'browser', 'shell'] as const),
      scoped: fc.boolean(),
      destructive: fc.boolean(),
      structured: fc.boolean(),
      providerStrict: fc.boolean(),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<ToolFacts>
  const stated = fc.record(
    {
      is_read_only: fc.constantFrom(true, false, 'classifier:x', 'whatever'),
      is_destructive: fc.constantFrom(true, false),
      strict: fc.boolean(),
      interrupt_behavior: fc.constantFrom('cancel' as const, 'block' as const),
      classifier_input: fc.jsonValue(),
      annotations: fc.constantFrom({}, { inferred: ['is_open_world', 'name'], note: 1 }, {
        inferred: 1,
      } as object),
    },
    { requiredKeys: [] },
  )

  test('are filled in, and each is listed', () => {
    assert.deepEqual(withDefaults(record, { toolKind: 'function' }), {
      record: {
        ...record,
        is_concurrency_safe: false,
        is_read_only: false,
        is_destructive: false,
        is_open_world: false,
        requires_user_interaction: false,
        strict: false,
        interrupt_behavior: 'block',
        classifier_input: '',
        annotations: { inferred: [...DEFAULTED] },
      },
      inferred: [...DEFAULTED],
    })
  })

  test('leave what is stated, say what is not, and come out the same a second time', () => {
    fc.assert(
      fc.property(stated, facts, (stated, facts) => {
        const given = { ...record, ...stated } as ToolInterface
        const before = structuredClone(given)
        const { record: filled, inferred } = withDefaults(given, facts)
        assert.deepEqual(given, before)
        const { annotations: _, ...rest } = given
        assert.deepEqual({ ...filled, ...rest }, filled)
        for (const field of DEFAULTED) {
          assert.equal(
            inferred.includes(field),
            !Object.hasOwn(given, field) || inferredFields(given.annotations).includes(field),
          )
          if (!Object.hasOwn(given, field)) assert.equal(filled[field], defaultOf(field, facts))
        }
        assert.deepEqual(inferredFields(filled.annotations), inferred)
        for (const field of inferredFields(given.annotations)) assert.ok(inferred.includes(field), field)
        assert.deepEqual(withDefaults(filled, facts).record, filled)
        assert.deepEqual([...recordErrors(filled, 'tool-interface')], [])
      }),
    )
  })

  test('every field of a partition is a field, and those that the type narrows are checked', () => {
    for (const field of Object.values(PARTITIONS).flat()) assert.ok(isField('tool-interface', field), field)
    assert.ok(!isField('tool-interface', 'is_readonly') && !isField('hook', 'timeout_ms'))
    assert.equal(expectedOf('timeout_ms', 0), 'a whole number above 0')
    assert.equal(expectedOf('timeout_ms', 1), undefined)
    assert.equal(expectedOf('schema_validation', 1), undefined)
    assert.equal(expectedOf('constructor', 1), undefined)
  })
})

const TOOL = {
  id: 'a',
  description: 'Does a thing to b.',
  transport: { kind: 'http', method: 'GET', url: 'https://a.example/' },
  input_schema: { type: 'object', properties: { b: { type: 'string' } } },
  result_schema: true,
}
const INTERFACE = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'a', classifier_input: '{{b}}' }
const INTERNAL = { type: 'string', visibility: 'internal', mutation_source: 'hook' }

/** What lint says of these records beside a tools.json with the tool `a`, without what is only left unsaid. */
function said(records: unknown, tool: object = TOOL): string[] {
  const files = memoryFiles({
    'tools.json': JSON.stringify({ version: 1, tools: [tool] }),
    'interfaces.json': JSON.stringify(records),
  })
  return lintAgent(read(files, 'a'), UNPREPARED)
    .filter(({ rule }) => rule.startsWith('tools/interface-') && rule !== 'tools/interface-complete')
    .map(finding => findingLine(finding).replace(/^(\w+) tools\/interface-(\S+) (\S+?):\d+:\d+/, '$1 $2 $3:'))
}
const runtime = (properties: object, rest: object = {}) => ({
  ...INTERFACE,
  runtime_input_schema: { type: 'object', properties },
  ...rest,
})

describe('internal fields', () => {
  const b = { type: 'string' }
  const marked = 'is internal, and a schema that the model sees has it'
  const ignored =
    'error visibility interfaces.json: This mark is not at a property that properties alone lead to, so verification ignores it'
  const unmarked = (name: string) =>
    `error visibility interfaces.json: "${name}" is no field that a model writes, and is not marked as internal`
  const cases: [what: string, records: unknown, ...said: string[]][] = [
    ['marked, and in no model’s schema', [runtime({ b, c: INTERNAL })]],
    ['no runtime schema at all', [INTERFACE]],
    ['not marked', [runtime({ b, c: {} })], unmarked('c')],
    ['not marked, and no schema that could be', [runtime({ b, c: true })], unmarked('c')],
    [
      'without a source',
      [runtime({ b, c: { ...INTERNAL, mutation_source: ' ' } })],
      'error mutation interfaces.json: The mutation_source of the internal field "c" is empty',
    ],
    ['marked, and nothing said of where it comes from', [runtime({ b, c: { visibility: 'internal' } })]],
    [
      'in the model’s schema of the interface',
      [runtime({ b, c: INTERNAL }, { model_input_schema: { properties: { b, c: {} } } })],
      'warning disagrees interfaces.json: model_input_schema is not what tools.json has as input_schema',
      `error internal-field interfaces.json: "c" ${marked}`,
    ],
    [
      'marked in the model’s schema itself, however deep',
      [{ ...INTERFACE, model_input_schema: { anyOf: [{ items: { properties: { c: INTERNAL } } }] } }],
      'warning disagrees interfaces.json: model_input_schema is not what tools.json has as input_schema',
      `error internal-field interfaces.json: "c" ${marked}`,
    ],
    [
      'in the schema that tools.json shows the model',
      [runtime({ b: INTERNAL })],
      `error internal-field tools.json: "b" ${marked}`,
    ],
    [
      'listed, and in the schema that tools.json shows the model',
      [{ ...INTERFACE, internal_only_fields: ['b', 'c', 1] }],
      'warning value interfaces.json: internal_only_fields must be a list of texts',
      'error visibility tools.json: "b" is in internal_only_fields, and a schema that the model sees has it',
    ],
    [
      'in an object of the model’s schema',
      [
        runtime(
          { b: { properties: { c: INTERNAL } } },
          { model_input_schema: { properties: { b: { properties: { c: true } } } } },
        ),
      ],
      'warning disagrees interfaces.json: model_input_schema is not what tools.json has as input_schema',
      `error internal-field interfaces.json: "c" ${marked}`,
    ],
    [
      'marked where a reference leads',
      [
        {
          ...INTERFACE,
          runtime_input_schema: { properties: { b, c: { $ref: '#/$defs/c' } }, $defs: { c: INTERNAL } },
        },
      ],
      unmarked('c'),
      ignored,
    ],
    ['marked in elements', [runtime({ b: { items: { properties: { c: INTERNAL } } } })], ignored],
    ['marked as a whole', [{ ...INTERFACE, runtime_input_schema: { ...INTERNAL, type: 'object' } }], ignored],
    ...[{ $ref: '#/$defs/x' }, { allOf: [true] }, { if: true }].map(
      (more): [what: string, records: unknown, ...said: string[]] => [
        `not marked, and a model may write it by ${Object.keys(more)}`,
        [runtime({ b, c: {} }, { model_input_schema: { properties: { b }, ...more } })],
        'warning disagrees interfaces.json: model_input_schema is not what tools.json has as input_schema',
      ],
    ),
    [
      'in the contract of a declaration',
      [
        {
          ...DECLARATION(),
          input_contract: {
            model_input_schema: { properties: { b } },
            runtime_input_schema: { properties: { c: {} } },
          },
        },
      ],
      unmarked('c'),
    ],
    [
      'inside an object that the model writes',
      [
        runtime(
          { b: { type: 'object', properties: { inner: {}, known: {} } } },
          {
            model_input_schema: {
              type: 'object',
              properties: { b: { type: 'object', properties: { known: {} } } },
            },
          },
        ),
      ],
      unmarked('inner'),
      'warning disagrees interfaces.json: model_input_schema is not what tools.json has as input_schema',
    ],
    [
      'inside an object that is internal itself',
      [runtime({ b, c: { ...INTERNAL, properties: { inner: {} } } })],
    ],
    [
      'put into a call without a record of it',
      [{ ...ours('invocation').examples[0], tool_id: 'a', model_input: {}, call_input: { c: 1 } }],
      'warning record interfaces.json: This record (invocation) tells of one run, and describes no tool',
      'error mutation interfaces.json: The call got other arguments than the model wrote, and no input_mutation says where from',
    ],
  ]
  for (const [what, records, ...expected] of cases) {
    test(what, () => assert.deepEqual(said(records), expected))
  }

  test('of a tool whose schema is a reference nothing is known', () => {
    const tool = { ...TOOL, input_schema: { $ref: 'schema:a.v1' } }
    assert.deepEqual(said([runtime({ b, c: {} })], tool), [])
  })

  test('in more schemas than anybody looks into nothing is taken for granted', () => {
    assert.deepEqual(said([runtime({ a: { anyOf: Array(100_000).fill(true) } })]), [
      'error internal-field interfaces.json: Its schemas have more than 100000 subschemas: internal fields are not searched in so many',
    ])
  })

  test('in many records', () => {
    const records = Array.from({ length: upTo(300, 5000) }, (_, index) => ({
      ...runtime({ b, [`c${index}`]: INTERNAL }, { model_input_schema: { properties: { b } } }),
      interface_id: `i${index}`,
    }))
    assert.equal(said(records).filter(line => line.startsWith('error')).length, 0)
  })
})

function DECLARATION() {
  return { ...ours('tool-declaration').examples[0], tool_id: 'a' }
}

describe('what else is said of records', () => {
  const cases: [what: string, records: unknown, ...said: string[]][] = [
    ['nothing, of a single record', INTERFACE],
    [
      'a tool that is not there',
      [
        { ...INTERFACE, tool_id: 'b' },
        { ...DECLARATION(), tool_id: 'c' },
      ],
      'warning unknown-tool interfaces.json: tools.json has no tool "b"',
      'warning unknown-tool interfaces.json: tools.json has no tool "c"',
    ],
    [
      'two interfaces of one tool, and two records of one id',
      [INTERFACE, { ...INTERFACE, interface_id: 'j' }, DECLARATION(), DECLARATION()],
      'warning record interfaces.json: A tool_interface with the tool_id "a" is already above',
      'warning record interfaces.json: A tool_declaration with the tool_id "a" is already above',
    ],
    [
      'values without a word for them',
      [
        {
          ...INTERFACE,
          schema_version: '1.0',
          is_read_only: 'same_as:is_read_only',
          interrupt_behavior: 'wait',
        },
        { ...DECLARATION(), tool_kind: 'shell', input_contract: { schema: {} } },
        { ...ours('permission-profile').examples[0], access_kinds: ['network', 'net'] },
      ],
      'warning value interfaces.json: Version "1.0" of Agent Tool is not known here',
      'warning value interfaces.json: is_read_only is "same_as:is_read_only", which says neither true nor false nor how to find out',
      'warning value interfaces.json: "wait" is no interrupt_behavior of Agent Tool',
      'warning value interfaces.json: "shell" is no tool_kind of Agent Tool',
      'warning value interfaces.json: Version 0.1 called the model’s schema "schema"; it is read as "model_input_schema"',
      'warning value interfaces.json: "net" is no access_kind of Agent Tool',
    ],
    [
      'keys that are nearly a field, and values that only the page has a type for',
      [
        {
          ...INTERFACE,
          is_destructve: true,
          isReadOnly: true,
          own_notes: 'x',
          'x-is_readonly': true,
          timeout_ms: '5s',
          required_credentials: ['a', 1],
          requires_setup: 'no',
        },
      ],
      'warning value interfaces.json: "is_destructve" is no field of a tool_interface, and is passed over',
      'warning value interfaces.json: "isReadOnly" is no field of a tool_interface, and is passed over',
      'warning disagrees interfaces.json: timeout_ms is not what tools.json has as x-rlp.timeout_ms, 5',
      'warning value interfaces.json: timeout_ms must be a whole number above 0',
      'warning value interfaces.json: required_credentials must be a list of texts',
      'warning value interfaces.json: requires_setup must be true or false',
    ],
    [
      'flags that lead round, or to nothing',
      [
        {
          ...INTERFACE,
          is_read_only: 'same_as:is_concurrency_safe',
          is_concurrency_safe: 'same_as:is_read_only',
          is_open_world: 'same_as:is_enabled',
        },
      ],
      'warning value interfaces.json: is_read_only is "same_as:is_concurrency_safe", which leads to no answer',
      'warning value interfaces.json: is_concurrency_safe is "same_as:is_read_only", which leads to no answer',
      'warning value interfaces.json: is_open_world is "same_as:is_enabled", which leads to no answer',
    ],
    [
      'a classifier that sees nothing',
      [
        { ...INTERFACE, classifier_input: ' ' },
        { ...DECLARATION(), tool_kind: 'shell_command' },
      ],
      'warning classifier interfaces.json: "a" (shell_command) is security-relevant, and classifier_input is empty',
    ],
    [
      'facts that tools.json states otherwise',
      [{ ...INTERFACE, model_input_schema: {}, timeout_ms: 1 }],
      'warning disagrees interfaces.json: model_input_schema is not what tools.json has as input_schema',
      'warning disagrees interfaces.json: timeout_ms is not what tools.json has as x-rlp.timeout_ms, 5',
    ],
    [
      'nothing more, where a record has another shape',
      [
        { ...INTERFACE, is_read_only: 1, schema_version: '9' },
        { ...INTERFACE, interface_id: 'j', schema_version: '8' },
      ],
      'error shape interfaces.json: is_read_only must be a string, true or false, found a number',
      'warning value interfaces.json: Version "8" of Agent Tool is not known here',
    ],
  ]
  for (const [what, records, ...expected] of cases) {
    test(what, () => assert.deepEqual(said(records, { ...TOOL, 'x-rlp': { timeout_ms: 5 } }), expected))
  }

  test('a tool of tools.json counts as reaching the network without a declaration', () => {
    const { classifier_input: _, ...without } = INTERFACE
    assert.deepEqual(said([without]), [
      'warning classifier interfaces.json: "a" (http) is security-relevant, and classifier_input is missing',
    ])
  })

  test('expressions of flags, and versions', () => {
    assert.ok(isFlagText('is_read_only', 'classifier:command_read_only'))
    assert.ok(isFlagText('is_concurrency_safe', 'same_as:is_read_only'))
    for (const text of ['classifier:', 'classifier:a b', 'same_as:name', 'same_as:', 'yes', '']) {
      assert.ok(!isFlagText('is_read_only', text), text)
    }
    assert.ok(isKnownVersion('0.2.0') && isKnownVersion('0.1.1'))
    assert.ok(!isKnownVersion('0.3.0') && !isKnownVersion('0.2') && !isKnownVersion('0.2.0-rc'))
  })
})
