// An agent's tools in other systems' words: what each format says, and that nothing changes without a word.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { PARTITIONS } from '../../src/agent-tool/interface-fields.ts'
import { recordErrors } from '../../src/agent-tool/record-shape.ts'
import { isRecordObject } from '../../src/agent-tool/records.ts'
import { exportText } from '../../src/convert/export.ts'
import { EXPORTERS } from '../../src/convert/exporters/index.ts'
import { MCP_NAMES, namesFor, OPENAI_NAMES } from '../../src/convert/exporters/named-tools.ts'
import { FIELDS } from '../../src/model/conversion.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { strictProblem } from '../../src/openai/strict.ts'
import { detectToolsKind } from '../../src/tools/detect-tools.ts'
import { agentWith, exported, exporter, HTTP, kinds, PLAIN, told } from '../support/conversion.ts'
import { runs } from '../support/runs.ts'

type Json = Record<string, unknown>
const functions = (document: unknown) => (document as { function: Json }[]).map(one => one.function)
const mcpTools = (document: unknown) => (document as { tools: Json[] }).tools
const annotationsOf = (record: Json | undefined) => (record?.['annotations'] ?? {}) as Json
const only = <T>(list: readonly T[]): T => {
  assert.equal(list.length, 1)
  return list[0] as T
}

/** A tool that says everything that a tool can say. */
const FULL = {
  ...HTTP,
  resultSchema: { type: 'object', properties: { id: { type: 'string' } } } as JsonSchema,
  capabilities: ['kb_write:events'],
  secrets: ['runloop/mail/key'],
  budget: { tokens: 10 },
  requiresConfirmation: true,
  tags: ['mail'],
  rlp: { stdin: false, timeoutMs: 1500, env: ['TZ'] },
}

describe('names', () => {
  const names = (ids: string[], rule = OPENAI_NAMES) => Object.fromEntries(namesFor(ids, rule))

  test('what a system can hold stays, a dot becomes two underscores, anything else one', () => {
    assert.deepEqual(names(['a', 'mail.send', 'a b/c', 'é']), {
      a: 'a',
      'mail.send': 'mail__send',
      'a b/c': 'a_b_c',
      é: '_',
    })
    assert.deepEqual(names(['mail.send', 'mail/send'], MCP_NAMES), {
      'mail.send': 'mail.send',
      'mail/send': 'mail_send',
    })
  })

  test('two ids never get one name, and the order decides nothing about those that fit', () => {
    const ids = ['a.b', 'a__b', 'a/b', 'a b', 'a_b']
    const made = names(ids)
    assert.equal(new Set(Object.values(made)).size, ids.length)
    assert.deepEqual([made['a__b'], made['a_b']], ['a__b', 'a_b'])
    assert.match(made['a.b'] ?? '', /^a__b_[0-9a-f]{8}$/)
  })

  test('for any ids: within the rule, without collision, the same again, and the same with further ids that fit', () => {
    const id = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 150 }),
      fc.stringMatching(/^[ab._/-]{1,4}$/),
    )
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 20 }), ids => {
        for (const rule of [OPENAI_NAMES, MCP_NAMES]) {
          const made = namesFor(ids, rule)
          assert.deepEqual([...namesFor(ids, rule)], [...made])
          assert.equal(new Set(made.values()).size, ids.length)
          for (const name of made.values())
            assert.match(name, rule === OPENAI_NAMES ? /^[A-Za-z0-9_-]{1,64}$/ : /^[A-Za-z0-9._-]{1,128}$/)
          for (const name of ids)
            if (made.get(name) === name) assert.equal(namesFor([...ids].reverse(), rule).get(name), name)
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('a tool is called the same whether it is exported alone or with the others', () => {
    const tools = ['a.b', 'a__b', 'x'.repeat(80)].map(id => ({ ...PLAIN, id }))
    for (const format of ['openai', 'mcp', 'agentcli']) {
      const all = exported(tools, format)
      for (const { id } of tools) {
        const alone = exported(tools, format, { ids: [id] })
        assert.equal(alone.tools, 1)
        for (const [name, of] of Object.entries(alone.names)) assert.equal(all.names[name], of)
      }
    }
  })
})

describe('openai', () => {
  test('a function, and what it cannot hold', () => {
    const { document, changes, names, apart } = exported([FULL], 'openai')
    assert.deepEqual(functions(document), [
      { name: 'mail__send', description: 'Run a filter', parameters: PLAIN.inputSchema, strict: true },
    ])
    assert.deepEqual(names, { mail__send: 'mail.send' })
    assert.deepEqual(told(changes), [
      'mail.send lost result_schema: OpenAI is not told what a function answers',
      'mail.send lost capabilities: OpenAI has no word for it',
      'mail.send lost requires_confirmation: OpenAI has no field for it: the host that runs the call has to ask',
      'mail.send lost budget: OpenAI has no word for it',
      'mail.send lost tags: OpenAI has no word for it',
      'mail.send inferred strict: true: every object is closed and requires all its properties',
      'mail.send renamed id: mail.send is mail__send there',
    ])
    assert.deepEqual(apart, ['http', 'timeout_ms', 'env', 'secrets'])
  })

  test('the responses API has another shape, in which strict is always said', () => {
    const loose = { ...PLAIN, inputSchema: { type: 'object' } }
    assert.deepEqual(exported([loose], 'openai', { api: 'responses' }).document, [
      {
        type: 'function',
        name: 'text__query',
        description: 'Run a filter',
        parameters: { type: 'object', properties: {} },
        strict: false,
      },
    ])
    assert.deepEqual(only(functions(exported([loose], 'openai').document)), {
      name: 'text__query',
      description: 'Run a filter',
      parameters: { type: 'object', properties: {} },
    })
  })

  const roots: [what: string, schema: JsonSchema, parameters: unknown, changes: string[]][] = [
    ['true', true, { type: 'object', properties: {} }, ['inferred input_schema']],
    [
      'no type',
      { properties: { a: true } },
      { type: 'object', properties: { a: {} } },
      ['inferred input_schema'],
    ],
    [
      'object or null',
      { type: ['object', 'null'] },
      { type: 'object', properties: {} },
      ['inferred input_schema'],
    ],
    [
      'a choice at the root',
      { type: 'object', properties: {}, oneOf: [{ required: ['a'] }], not: { required: ['b'] } },
      { type: 'object', properties: {} },
      ['lost input_schema'],
    ],
    [
      'false somewhere inside',
      { type: 'object', properties: { a: { type: 'array', items: false } }, additionalProperties: true },
      {
        type: 'object',
        properties: { a: { type: 'array', items: { not: {} } } },
        additionalProperties: true,
      },
      [],
    ],
  ]
  for (const [what, inputSchema, parameters, expected] of roots) {
    test(`root: ${what}`, () => {
      const { document, changes } = exported([{ ...PLAIN, id: 'a', inputSchema }], 'openai')
      assert.deepEqual(only(functions(document))['parameters'], parameters)
      assert.deepEqual(kinds(changes), expected)
    })
  }

  for (const inputSchema of [false, { type: 'string' }, { type: ['array', 'null'] }]) {
    test(`a tool that takes no object is left out: ${JSON.stringify(inputSchema)}`, () => {
      for (const format of ['openai', 'mcp', 'agentcli']) {
        const { tools, changes } = exported([{ ...PLAIN, id: 'a', inputSchema }], format)
        assert.equal(tools, 0)
        assert.deepEqual(told(changes), [
          'a lost input_schema: no object fits it, so no call could be made: the tool is left out',
        ])
      }
    })
  }
})

describe('what OpenAI refuses', () => {
  const parametersOf = (properties: Json, format = 'openai', more: Json = {}) => {
    const inputSchema = { type: 'object', properties, ...more }
    const { document, changes } = exported([{ ...PLAIN, id: 'a', inputSchema }], format)
    const tool = format === 'openai' ? only(functions(document)) : only(mcpTools(document))
    const schema = tool[
      { openai: 'parameters', mcp: 'inputSchema', agentcli: 'schema' }[format] ?? ''
    ] as Json
    return {
      ...schema,
      told: told(changes).filter(line => line.includes('input_schema')),
      strict: tool['strict'],
    }
  }
  const without = (pattern: string) => parametersOf({ x: { type: 'string', pattern } })

  test('a list gets items {}, which says the same, wherever it is, for every target that is known to refuse it', () => {
    const lists = {
      tags: { type: 'array' },
      all: { anyOf: [{ type: ['array', 'null'], prefixItems: [{}] }] },
    }
    for (const format of ['openai', 'mcp', 'agentcli']) {
      const { properties, told } = parametersOf(lists, format) as unknown as {
        properties: Json
        told: string[]
      }
      assert.deepEqual(properties, {
        tags: { type: 'array', items: {} },
        all: { anyOf: [{ type: ['array', 'null'], prefixItems: [{}], items: {} }] },
      })
      assert.deepEqual(told, [
        'a inferred input_schema: items {} for "tags" and "all": OpenAI and VS Code refuse a list without items',
      ])
    }
    assert.deepEqual(parametersOf({ tags: { type: 'array', items: { type: 'string' } } }).told, [])
  })

  test('where items {} says more than was written, that is a loss', () => {
    const { told } = parametersOf({ pair: { type: 'array', prefixItems: [{}], unevaluatedItems: false } })
    assert.deepEqual(told.at(-1), 'a lost input_schema: unevaluatedItems of "pair", beside items {}')
  })

  test('an input without properties gets an empty list of them', () => {
    for (const format of ['openai', 'mcp', 'agentcli'])
      assert.deepEqual(
        parametersOf(undefined as never, format, { properties: undefined, title: 'x' }).told,
        [],
        format,
      )
    for (const inputSchema of [{ type: 'object' }, true, {}] as JsonSchema[]) {
      const { document } = exported([{ ...PLAIN, inputSchema }], 'mcp')
      assert.deepEqual(only(mcpTools(document))['inputSchema'], { type: 'object', properties: {} })
    }
  })

  for (const [pattern, refusal] of [
    ['^(?=.*\\d).+$', 'looks ahead or behind'],
    ['^(?!-)[a-z-]+$', 'looks ahead or behind'],
    ['[a-z](?<=x)', 'looks ahead or behind'],
    ['(?<!y)z', 'looks ahead or behind'],
    ['^\\p{L}+$', 'names a Unicode property (\\p)'],
    ['[^\\P{L}]', 'names a Unicode property (\\p)'],
    ['\\u{1f600}', 'has a code point in braces (\\u{…})'],
    ['\\cA', 'has a control character as \\c'],
    ['(?<year>[0-9]{4})', 'names a group'],
    ['a[^]b', 'has an empty class ([] or [^])'],
  ] as const) {
    test(`a pattern that ${refusal} is left out and lost: ${pattern}`, () => {
      assert.ok(new RegExp(pattern, 'u'))
      const { properties, told } = without(pattern) as unknown as { properties: Json; told: string[] }
      assert.deepEqual(properties, { x: { type: 'string' } })
      assert.deepEqual(told, [
        `a lost input_schema: the pattern of "x", because OpenAI refuses a pattern that ${refusal}`,
      ])
      assert.match(strictProblem({ type: 'string', pattern }) ?? '', /^a pattern /)
    })
  }

  for (const pattern of [
    '^[a-z]+$',
    '(?:a|b)',
    '\\(?=',
    '[(?=]',
    '[\\]p{]',
    '\\\\p{L}'.replace('{L}', ''),
    '^\\u00e9$',
  ])
    test(`a pattern that Python reads as well stays: ${pattern}`, () => {
      assert.ok(new RegExp(pattern, 'u'))
      assert.deepEqual((without(pattern) as { properties?: Json }).properties, {
        x: { type: 'string', pattern },
      })
    })

  test('a reference back is refused for strict, and by no export, because no validator here follows it', () => {
    for (const pattern of ['(a)\\1', '(?:a)\\k<x>'])
      assert.equal(strictProblem({ type: 'string', pattern }), 'a pattern refers back to a group')
  })

  test('a schema without its pattern never takes less than before', () => {
    const ahead = { type: 'string', pattern: '(?=a)' }
    const plain = { type: 'string', pattern: '^b' }
    const { properties } = parametersOf({
      a: { not: ahead },
      b: Object.fromEntries([['if', ahead], ...['then', 'else'].map(keyword => [keyword, plain])]),
      c: { oneOf: [ahead, plain] },
      d: { type: 'object', patternProperties: { '(?=a)': {}, '^b': {} }, additionalProperties: false },
      e: { type: 'array', items: ahead, contains: ahead, maxContains: 1 },
      f: { not: plain, oneOf: [plain], if: plain },
    }) as { properties?: Json }
    assert.deepEqual(properties, {
      a: {},
      b: {},
      c: {},
      d: { type: 'object', patternProperties: { '^b': {} } },
      e: { type: 'array', items: { type: 'string' } },
      f: { not: plain, oneOf: [plain], if: plain },
    })
  })

  test('what is written with strict: true has no such pattern, and lists what it requires', () => {
    const closed = { additionalProperties: false, required: ['x', 'y'] }
    const properties = {
      x: { type: 'string', pattern: '^(?!a)b' },
      y: { type: 'object', additionalProperties: false },
    }
    const { told, ...schema } = parametersOf(properties, 'openai', closed)
    assert.equal(told.length, 1)
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        x: { type: 'string' },
        y: { type: 'object', additionalProperties: false, properties: {}, required: [] },
      },
      ...closed,
      strict: true,
    })
    const list = { x: { type: 'array' }, y: { type: 'array' } }
    assert.equal(parametersOf(list, 'openai', closed).strict, undefined)
  })
})

describe('strict', () => {
  const closed = (properties: Json, more: Json = {}) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  })
  const text = { type: 'string' }
  const right: [what: string, schema: Json][] = [
    ['nothing', closed({})],
    [
      'values of all kinds',
      closed({
        a: text,
        b: { type: 'integer', minimum: 0 },
        c: { enum: ['x', 1, null] },
        d: { const: 'y' },
        e: { type: ['string', 'null'] },
      }),
    ],
    [
      'objects and lists inside',
      closed({ a: closed({ b: { type: 'array', items: closed({ c: text }), minItems: 1 } }) }),
    ],
    ['a choice inside', closed({ a: { anyOf: [text, closed({ b: text })] } })],
    ['recursion', closed({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } })],
    ['definitions', closed({ a: { $ref: '#/$defs/n' } }, { $defs: { n: closed({ b: text }) } })],
    [
      'a dialect, and a format',
      closed(
        { a: { type: 'string', format: 'date' } },
        { $schema: 'https://json-schema.org/draft/2020-12/schema' },
      ),
    ],
    ['ten levels', Array.from({ length: 9 }).reduce<Json>(inner => closed({ x: inner }), closed({}))],
  ]
  for (const [what, schema] of right)
    test(`true: ${what}`, () => assert.equal(strictProblem(schema), undefined))

  const wrong: [problem: RegExp, schema: Json][] = [
    [/"b" is not required/, closed({ a: text, b: text }, { required: ['a'] })],
    [/takes further properties/, closed({ a: { type: 'object', properties: {}, required: [] } })],
    [/takes further properties/, closed({}, { additionalProperties: true })],
    [/takes further properties/, closed({ a: { type: ['object', 'null'] } })],
    [/anyOf is at its root/, closed({}, { anyOf: [{}] })],
    [/"oneOf" is not supported/, closed({ a: { oneOf: [text] } })],
    [/"allOf" is not supported/, closed({ a: { allOf: [text] } })],
    [/"minLength" is not supported/, closed({ a: { type: 'string', minLength: 1 } })],
    [/"default" is not supported/, closed({ a: { type: 'string', default: 'x' } })],
    [/"x-mine" is not supported/, closed({ a: { type: 'string', 'x-mine': 1 } })],
    [/the format "regex" is not supported/, closed({ a: { type: 'string', format: 'regex' } })],
    [/a part of it has no type/, closed({ a: {} })],
    [/takes anything, or nothing/, closed({ a: true })],
    [/a list does not describe its items/, closed({ a: { type: 'array' } })],
    [/a \$ref has other keywords beside it/, closed({ a: { $ref: '#', type: 'object' } })],
    [/required and not described/, closed({ a: text }, { required: ['a', 'b'] })],
    [/a listed value is an object/, closed({ a: { enum: [{}] } })],
    [
      /more than 10 levels/,
      Array.from({ length: 10 }).reduce<Json>(inner => closed({ x: inner }), closed({})),
    ],
    [
      /more than 5000 properties/,
      closed(Object.fromEntries(Array.from({ length: 5001 }, (_, at) => [`p${at}`, text]))),
    ],
    [/lists more than 1000 values/, closed({ a: { enum: Array.from({ length: 1001 }, (_, at) => at) } })],
    [
      /more than 15000 characters/,
      closed({ a: { enum: Array.from({ length: 251 }, (_, at) => `${at}`.padEnd(61, 'x')) } }),
    ],
    [/more than 120000 characters/, closed({ ['x'.repeat(120_001)]: text })],
  ]
  for (const [problem, schema] of wrong) {
    test(`not true: ${problem.source}`, () => assert.match(strictProblem(schema) ?? 'it is', problem))
  }

  test('a record that says false is believed, and one that says true is not enough', () => {
    const files = (strict: boolean) => ({
      'interfaces.json': JSON.stringify([
        { schema_version: '0.2.0', interface_id: 'i', tool_id: 'text.query', strict },
      ]),
    })
    const open = { ...PLAIN, inputSchema: { type: 'object' } }
    const strictOf = (tool: object, strict: boolean) => {
      const { document, changes } = exported([tool], 'openai', { files: files(strict) })
      return [only(functions(document))['strict'], told(changes).filter(line => line.includes('strict'))]
    }
    assert.deepEqual(strictOf(PLAIN, false), [undefined, []])
    assert.deepEqual(strictOf(PLAIN, true), [true, []])
    assert.deepEqual(strictOf(open, true), [
      undefined,
      [
        'text.query lost strict: a record asks for it, and OpenAI would refuse it: an object takes further properties',
      ],
    ])
  })
})

describe('mcp', () => {
  test('a tool, and what it cannot hold', () => {
    const { document, changes, names } = exported([FULL], 'mcp')
    assert.deepEqual(mcpTools(document), [
      {
        name: 'mail.send',
        description: 'Run a filter',
        inputSchema: PLAIN.inputSchema,
        outputSchema: FULL.resultSchema,
        _meta: {
          'rlp/tags': ['mail'],
          'rlp/budget': { tokens: 10 },
          'rlp/capabilities': ['kb_write:events'],
        },
      },
    ])
    assert.deepEqual(names, {})
    assert.deepEqual(told(changes), [
      'mail.send lost requires_confirmation: MCP has no field for it: the runtime behind the server asks, not the client',
    ])
  })

  test('an id that is no name leaves its trace', () => {
    const { document, names } = exported([{ ...PLAIN, id: 'mail/send it' }], 'mcp')
    const [tool] = mcpTools(document)
    assert.deepEqual([tool?.['name'], tool?.['_meta']], ['mail_send_it', { 'rlp/id': 'mail/send it' }])
    assert.deepEqual(names, { mail_send_it: 'mail/send it' })
  })

  for (const [result, isThere, isLost] of [
    [{ type: 'object' }, true, false],
    [{}, false, false],
    [true, false, false],
    [{ description: 'anything' }, false, false],
    [{ type: 'array', items: {} }, false, true],
    [{ properties: { a: {} } }, false, true],
    [{ type: ['object', 'null'] }, false, true],
    [false, false, true],
  ] as const) {
    test(`outputSchema: ${JSON.stringify(result)}`, () => {
      const { document, changes } = exported([{ ...PLAIN, resultSchema: result }], 'mcp')
      assert.equal('outputSchema' in only(mcpTools(document)), isThere)
      assert.deepEqual(kinds(changes), isLost ? ['lost result_schema'] : [])
    })
  }

  const annotations = (record: Json, declaration?: Json) => {
    const records = [
      { schema_version: '0.2.0', interface_id: 'i', tool_id: 'text.query', ...record },
      ...(declaration === undefined
        ? []
        : [
            {
              schema_version: '0.2.0',
              tool_id: 'text.query',
              namespace: 'text',
              name: 'query',
              description: 'd',
              lifecycle: 'available',
              tool_kind: 'custom',
              ...declaration,
            },
          ]),
    ]
    const { document, changes } = exported([PLAIN], 'mcp', {
      files: { 'interfaces.json': JSON.stringify(records) },
    })
    const tool = only(mcpTools(document))
    return { hints: tool['annotations'], title: tool['title'], changes: told(changes) }
  }

  test('hints are given for stated facts, true or false', () => {
    assert.deepEqual(annotations({ is_read_only: true, is_destructive: false, is_open_world: false }).hints, {
      readOnlyHint: true,
      destructiveHint: false,
      openWorldHint: false,
    })
    assert.deepEqual(annotations({}).hints, undefined)
    // What is said through another flag is said.
    assert.deepEqual(annotations({ is_read_only: true, is_destructive: 'same_as:is_read_only' }).hints, {
      readOnlyHint: true,
      destructiveHint: true,
    })
  })

  test('no hint for what was only inferred, wherever the list of it is', () => {
    const inferred = { annotations: { inferred: ['is_destructive', 'title'] } }
    assert.deepEqual(annotations({ is_destructive: false, is_read_only: true, ...inferred }).hints, {
      readOnlyHint: true,
    })
    assert.deepEqual(annotations({ is_destructive: false }, { title: 'Query', ...inferred }), {
      hints: undefined,
      title: undefined,
      changes: [],
    })
    assert.deepEqual(annotations({}, { title: 'Query' }).title, 'Query')
  })

  test('a flag that is found out by a classifier is lost, and no reader is told yes or no', () => {
    assert.deepEqual(annotations({ is_read_only: 'classifier:sql', is_destructive: 'sometimes' }), {
      hints: undefined,
      title: undefined,
      changes: [
        'text.query lost is_read_only: a record says how it is found out; readOnlyHint is true or false, and is left out',
        'text.query lost is_destructive: a record says how it is found out; destructiveHint is true or false, and is left out',
      ],
    })
  })

  test('facts that MCP has no word for', () => {
    assert.deepEqual(
      annotations({
        requires_user_interaction: true,
        is_concurrency_safe: true,
        max_inline_chars: 5,
        should_defer: true,
        search_hint: 'x',
      }).changes,
      [
        // Where the user is needed, a person is asked before the call as well.
        'text.query lost requires_confirmation: MCP has no field for it: the runtime behind the server asks, not the client',
        ...['requires_user_interaction', 'is_concurrency_safe', 'deferred', 'max_inline_chars'].map(
          field => `text.query lost ${field}: MCP has no word for it`,
        ),
        'text.query lost record: search_hint: MCP has no word for it',
      ],
    )
  })
})

describe('what only records say', () => {
  const INTERFACE = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'text.query' }
  const DECLARATION = {
    schema_version: '0.2.0',
    tool_id: 'text.query',
    namespace: 'text',
    name: 'query',
    description: 'd',
    lifecycle: 'available',
    tool_kind: 'custom',
    interface_ref: 'i',
  }
  const PERMISSION = { schema_version: '0.2.0', permission_profile_id: 'p', risk_level: 'high' }
  const EXECUTION = { schema_version: '0.2.0', execution_profile_id: 'e', execution_kind: 'local_process' }
  const lostTo = (format: string, records: readonly object[]) =>
    exported([PLAIN], format, { files: { 'interfaces.json': JSON.stringify(records) } }).changes.flatMap(
      ({ what, field, message }) => (what === 'lost' ? [`${field}: ${message}`] : []),
    )
  const OTHERS = ['openai', 'mcp', 'agentcli']

  test('a record that only names itself loses nothing', () => {
    for (const { format } of EXPORTERS) assert.deepEqual(lostTo(format, [INTERFACE, DECLARATION]), [], format)
  })

  // Every field of the page, so that a list in the source cannot forget one.
  const elsewhere = (key: string) =>
    /^(?:tool_id|name|namespace|description|capability_refs|native_ids|.*_profile_ref)$/.test(key)
  const own: Readonly<Record<string, string>> = {
    user_facing_name: 'title',
    should_defer: 'deferred',
    runtime_input_schema: '',
    model_input_schema: '',
    output_schema: '',
  }
  for (const key of Object.values(PARTITIONS).flat()) {
    if (elsewhere(key) || own[key] === '') continue
    test(`${key} is lost by its name, and kept by agent-tool`, () => {
      const value = VALUES[key] ?? (key.startsWith('is_') || key === 'strict' ? false : 'x')
      const records = [{ ...INTERFACE, [key]: value }]
      assert.deepEqual(lostTo('agent-tool', records), [])
      for (const format of OTHERS) {
        const isKept = KEPT[format]?.includes(key) ?? false
        // Of what is lost with it: a record that demands the user has a person asked before each call.
        const lost = lostTo(format, records).filter(one => !one.startsWith('requires_confirmation: '))
        assert.equal(lost.length, isKept ? 0 : 1, `${format}: ${lost}`)
        const field = own[key] ?? key
        if (!isKept)
          assert.ok(lost[0]?.startsWith(`${field}: `) || lost[0]?.startsWith(`record: ${key}: `), lost[0])
      }
    })
  }

  test('what profiles and declarations state is lost too; what was only inferred is not', () => {
    const inferred = { annotations: { inferred: ['risk_level', 'is_enabled'] } }
    const records = (more: object, face: object = {}) => [
      { ...INTERFACE, ...face, permission_profile_ref: 'p', execution_profile_ref: 'e' },
      { ...DECLARATION, lifecycle: 'disabled' },
      { ...PERMISSION, sandbox_profile: 'strict', approval_required: true, ...more },
      { ...EXECUTION, sandboxed: true, timeout_ms: 700 },
    ]
    const asking =
      'requires_confirmation: MCP has no field for it: the runtime behind the server asks, not the client'
    assert.deepEqual(lostTo('mcp', records({})), [
      asking,
      'record: lifecycle, risk_level, sandbox_profile, approval_required, sandboxed, timeout_ms: MCP has no word for it',
    ])
    assert.deepEqual(lostTo('mcp', records(inferred, { is_enabled: true, ...inferred })), [
      asking,
      'record: lifecycle, sandbox_profile, approval_required, sandboxed, timeout_ms: MCP has no word for it',
    ])
    assert.deepEqual(lostTo('agent-tool', records({})), [])
  })

  test('what annotations hold beside what an export writes there is lost', () => {
    const records = [{ ...INTERFACE, annotations: { inferred: [], tags: ['a'], owner: 'mail' } }]
    assert.deepEqual(lostTo('openai', records), ['record: annotations.owner: OpenAI has no word for it'])
  })

  test('a record that leads to no tool is lost from every format', () => {
    const hook = { schema_version: '0.2.0', hook_id: 'h', hook_event: 'pre_tool_use' }
    const message =
      'record: records of interfaces.json that lead to no tool are left out: hook, tool-interface'
    for (const { format } of EXPORTERS)
      assert.deepEqual(lostTo(format, [INTERFACE, hook, { ...INTERFACE, interface_id: 'again' }]), [message])
  })

  test('agentcli keeps the lowest time limit, and agent-tool hides none', () => {
    const files = { 'interfaces.json': JSON.stringify([{ ...INTERFACE, timeout_ms: 3000 }]) }
    const seconds = (timeoutMs: number | undefined) => {
      const { document, changes } = exported([{ ...PLAIN, rlp: { ...PLAIN.rlp, timeoutMs } }], 'agentcli', {
        files,
      })
      assert.deepEqual(kinds(changes), ['renamed id'])
      return only((document as { tools: { timeoutSec?: number }[] }).tools).timeoutSec
    }
    assert.deepEqual([undefined, 2000, 9000].map(seconds), [3, 2, 3])
    const limited = { ...PLAIN, secrets: ['runloop/mail/key'], rlp: { ...PLAIN.rlp, timeoutMs: 2000 } }
    const records = exported([limited], 'agent-tool', {
      files: {
        'interfaces.json': JSON.stringify([
          { ...INTERFACE, timeout_ms: 3000, required_credentials: ['other'] },
          { ...DECLARATION, capability_refs: ['time'] },
        ]),
      },
    }).document as Json[]
    assert.deepEqual(
      [records[1]?.['timeout_ms'], records[1]?.['required_credentials'], records[0]?.['capability_refs']],
      [2000, ['other', 'runloop/mail/key'], ['time', 'exec:/usr/bin/jq']],
    )
  })
})

/** A value of the right type, for keys that are no text. */
const VALUES: Readonly<Record<string, unknown>> = {
  aliases: ['x'],
  schema_visibility: 'deferred',
  should_defer: true,
  always_load: true,
  requires_setup: true,
  requires_user_interaction: true,
  required_credentials: ['x'],
  feature_gate_refs: ['x'],
  redaction_policy_refs: ['x'],
  timeout_ms: 2000,
  max_inline_chars: 5,
  progress_schema: {},
}

/** What a format has a place for. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  openai: ['strict'],
  mcp: ['user_facing_name', 'is_read_only', 'is_destructive', 'is_open_world'],
  agentcli: ['timeout_ms'],
}

describe('agentcli', () => {
  test('an exec tool, with x-rlp back in that system’s words', () => {
    const tool = { ...PLAIN, rlp: { stdin: true, timeoutMs: 5000, env: ['TZ', 'API_BASE'] } }
    const { document, changes } = exported([tool], 'agentcli')
    assert.deepEqual(document, {
      tools: [
        {
          name: 'text__query',
          description: 'Run a filter',
          schema: PLAIN.inputSchema,
          command: ['/usr/bin/jq', '-c', '.'],
          timeoutSec: 5,
          envPassthrough: ['TZ', 'API_BASE'],
        },
      ],
    })
    assert.deepEqual(kinds(changes), ['renamed id'])
  })

  test('what is lost is said', () => {
    const tool = {
      ...PLAIN,
      id: 'a',
      resultSchema: { type: 'object' },
      capabilities: ['time'],
      secrets: ['runloop/mail/key'],
      budget: { usd: 1 },
      requiresConfirmation: true,
      tags: ['x'],
      rlp: { stdin: false, timeoutMs: 1500, env: [] },
    }
    const { document, changes } = exported([tool], 'agentcli')
    assert.equal(only((document as { tools: { timeoutSec?: number }[] }).tools).timeoutSec, 2)
    assert.deepEqual(told(changes), [
      'a lost result_schema: agentcli has no word for it',
      'a lost arguments: it was given the path of a file as its first argument, and agentcli writes JSON to its standard input',
      'a lost secrets: agentcli knows variables of its own environment only: it was given RUNLOOP_MAIL_KEY',
      'a lost capabilities: agentcli has no word for it',
      'a lost requires_confirmation: agentcli never asks before a call',
      'a lost budget: agentcli has no word for it',
      'a lost tags: agentcli has no word for it',
      'a lost timeout_ms: 1500 ms become 2 s',
    ])
  })

  test('what it could not start unchanged is left out', () => {
    const template = { ...PLAIN, transport: { kind: 'exec', command: '/bin/echo', args: ['{{input.n}}'] } }
    const { document, tools, changes } = exported([HTTP, template], 'agentcli')
    assert.deepEqual([document, tools], [{ tools: [] }, 0])
    assert.deepEqual(kinds(changes), ['lost command', 'lost http'])
  })
})

describe('agent-tool', () => {
  const records = (tools: readonly object[], files = {}) =>
    exported(tools, 'agent-tool', { files }).document as Json[]

  test('four records, with each unstated value at its safe default, and listed', () => {
    const [declaration, own, execution, permission] = records([FULL])
    assert.deepEqual(declaration, {
      schema_version: '0.2.0',
      tool_id: 'mail.send',
      namespace: 'mail',
      name: 'send',
      title: 'send',
      description: 'Run a filter',
      lifecycle: 'available',
      tool_kind: 'openapi_operation',
      capability_refs: ['kb_write:events', 'net:api.mail.example:443'],
      interface_ref: 'tool_interface:mail.send',
      execution_profile_ref: 'execution_profile:mail.send',
      permission_profile_ref: 'permission_profile:mail.send',
      annotations: {
        tags: ['mail'],
        budget: { tokens: 10 },
        inferred: ['namespace', 'title', 'lifecycle', 'tool_kind', 'capability_refs'],
      },
    })
    assert.deepEqual(own?.['native_ids'], { openai: 'mail__send' })
    assert.deepEqual(
      ['is_read_only', 'is_destructive', 'is_open_world', 'strict', 'timeout_ms', 'required_credentials'].map(
        key => own?.[key],
      ),
      [false, false, true, true, 1500, ['runloop/mail/key']],
    )
    assert.deepEqual(own?.['annotations'], {
      inferred: [
        ...[
          'is_concurrency_safe',
          'is_read_only',
          'is_destructive',
          'is_open_world',
          'requires_user_interaction',
        ],
        ...['strict', 'interrupt_behavior', 'classifier_input'],
      ],
    })
    assert.equal(execution?.['execution_kind'], 'http_api')
    assert.deepEqual(
      ['risk_level', 'approval_required', 'network_scope', 'credential_refs'].map(key => permission?.[key]),
      ['high', true, 'api.mail.example:443', ['runloop/mail/key']],
    )
  })

  test('what a GET suggests is a suggestion, and the flag stays at its safe value', () => {
    const get = { ...HTTP, transport: { ...HTTP.transport, method: 'GET' } }
    const own = records([get])[1]
    assert.equal(own?.['is_read_only'], false)
    assert.deepEqual(annotationsOf(own)['suggested'], { is_read_only: true })
  })

  test('what interfaces.json states stays, and is not called inferred', () => {
    const text = readFileSync('fixtures/valid/interfaces/interfaces.json', 'utf8')
    const { tools } = JSON.parse(readFileSync('fixtures/valid/interfaces/tools.json', 'utf8'))
    const known = (JSON.parse(text) as { records: Json[] }).records
    const made = records(tools, { 'interfaces.json': text })
    const own = made[1] ?? {}
    assert.deepEqual(made[2], known[2])
    for (const key of [
      'is_read_only',
      'is_concurrency_safe',
      'is_destructive',
      'strict',
      'interrupt_behavior',
      'ui_summary',
      'interface_id',
      'runtime_input_schema',
    ])
      assert.deepEqual(own[key], known[1]?.[key], key)
    assert.equal(annotationsOf(own)['inferred'], undefined)
  })

  test('a profile that two tools share is there once, and asks if it asks for one of them', () => {
    const files = {
      'interfaces.json': JSON.stringify([
        ...['a', 'b'].map(id => ({
          schema_version: '0.2.0',
          interface_id: `i:${id}`,
          tool_id: id,
          permission_profile_ref: 'p',
        })),
        { schema_version: '0.2.0', permission_profile_id: 'p', risk_level: 'low' },
      ]),
    }
    for (const asking of ['a', 'b']) {
      const tools = ['a', 'b'].map(id => ({ ...PLAIN, id, requiresConfirmation: id === asking }))
      const profiles = records(tools, files).filter(record => record['permission_profile_id'] === 'p')
      assert.deepEqual(profiles, [
        { schema_version: '0.2.0', permission_profile_id: 'p', risk_level: 'low', approval_required: true },
      ])
    }
  })

  test('facts that an import made up are listed as inferred', () => {
    const entry = {
      id: 'a',
      description: 'a',
      transport: { kind: 'exec', command: '/a' },
      input_schema: {},
      result_schema: {},
      'x-inferred': ['description', 'result_schema', 7],
    }
    const [declaration, own] = records([entry])
    assert.ok((annotationsOf(declaration)['inferred'] as string[]).includes('description'))
    assert.ok((annotationsOf(own)['inferred'] as string[]).includes('output_schema'))
  })
})

describe('every format', () => {
  const agents: [name: string, tools: object[], files: Record<string, string>][] = [
    ['plain', [PLAIN], {}],
    ['full', [FULL, { ...FULL, id: 'other', transport: PLAIN.transport }], {}],
    ...['every-transport', 'interfaces'].map((name): [string, object[], Record<string, string>] => {
      const folder = `fixtures/valid/${name}`
      const files = [
        'interfaces.json',
        'schemas/mail.send.request.v1.json',
        'schemas/mail.send.result.v1.json',
      ]
      const held = files.flatMap(file => {
        try {
          return [[file, readFileSync(`${folder}/${file}`, 'utf8')] as const]
        } catch {
          // Not every fixture has every file.
          return []
        }
      })
      return [name, JSON.parse(readFileSync(`${folder}/tools.json`, 'utf8')).tools, Object.fromEntries(held)]
    }),
  ]
  for (const [name, tools, files] of agents) {
    for (const { format, fates } of EXPORTERS) {
      test(`${format} of ${name}: by its table, recognised, and the same again`, () => {
        const first = exported(tools, format, { files })
        assert.equal(exportText(exported(tools, format, { files }).document), exportText(first.document))
        if (first.tools > 0) assert.equal(detectToolsKind(first.document), format)
        for (const { field, what, message } of first.changes) {
          const fate = fates[field]
          assert.ok(
            fate?.may?.includes(what) || fate?.is === what,
            `${what} ${field} is not in the table: ${message}`,
          )
          assert.ok(Object.hasOwn(FIELDS, field))
          assert.doesNotMatch(message, /\.$|^[A-Z](?!CP|penAI)/)
        }
        if (format === 'agent-tool') {
          for (const record of first.document as unknown[]) {
            assert.ok(isRecordObject(record))
            assert.deepEqual([...recordErrors(record)], [])
          }
        }
      })
    }
  }

  test('a foreign x- member is said to be lost', () => {
    const entry = {
      id: 'a',
      description: 'a',
      transport: { kind: 'exec', command: '/a' },
      input_schema: {},
      result_schema: {},
      'x-team': 1,
      'x-rlp': { stdin: true },
    }
    for (const { format } of EXPORTERS)
      assert.ok(kinds(exported([entry], format).changes).includes('lost extensions'), format)
  })

  test('internal fields never reach a model', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        q: { type: 'string' },
        trace: { type: 'string', visibility: 'internal', mutation_source: 'hook' },
      },
      required: ['q', 'trace'],
    }
    const files = {
      'interfaces.json': JSON.stringify([
        { schema_version: '0.2.0', interface_id: 'i', tool_id: 'text.query', internal_only_fields: ['q'] },
      ]),
    }
    for (const { format } of EXPORTERS) {
      const shown = (document: unknown) =>
        JSON.stringify(format === 'agent-tool' ? (document as Json[])[1]?.['model_input_schema'] : document)
      const marked = exported([{ ...PLAIN, inputSchema }], format)
      assert.doesNotMatch(shown(marked.document), /trace/, format)
      assert.match(shown(marked.document), /"q"/, format)
      assert.equal(kinds(marked.changes).includes('lost internal_input'), format !== 'agent-tool')
      const listed = exported([{ ...PLAIN, inputSchema }], format, { files })
      assert.doesNotMatch(shown(listed.document), /"q"/, format)
      if (format === 'agent-tool')
        assert.deepEqual((marked.document as Json[])[1]?.['runtime_input_schema'], inputSchema)
    }
  })

  test('a mark that is not at a property is refused, and the tool is named', () => {
    const schema = (mark: object) => ({
      type: 'object',
      properties: {},
      additionalProperties: { type: 'string', ...mark },
    })
    const INTERNAL = { visibility: 'internal' }
    const records = (mark: object) =>
      JSON.stringify([
        {
          schema_version: '0.2.0',
          interface_id: 'i',
          tool_id: 'text.query',
          runtime_input_schema: schema(mark),
        },
      ])
    const refused = {
      code: 'LINT_FAILED',
      message:
        'Cannot export "text.query" of "agents/mini": #/additionalProperties is marked as internal, and is not a property',
    }
    for (const { format } of EXPORTERS) {
      const tool = (mark: object) => ({ ...PLAIN, inputSchema: schema(mark) })
      const files = (mark: object) => ({ files: { 'interfaces.json': records(mark) } })
      exported([tool({})], format, files({}))
      assert.throws(() => exported([tool(INTERNAL)], format), refused)
      assert.throws(() => exported([tool({})], format, files(INTERNAL)), refused)
    }
  })

  test('a reference to the runtime’s registry is lost, and said', () => {
    const inputSchema = { type: 'object', properties: { a: { $ref: 'schema:gone.v1' } } }
    for (const { format } of EXPORTERS) {
      const { document, changes } = exported([{ ...PLAIN, inputSchema }], format)
      assert.doesNotMatch(JSON.stringify(document), /schema:gone/)
      assert.ok(
        told(changes).some(line =>
          line.startsWith('text.query lost input_schema: schema:gone.v1 names an entry'),
        ),
      )
    }
  })
})

describe('refused', () => {
  const openai = exporter('openai')
  const cases: [
    what: string,
    tools: object[],
    code: string,
    message: RegExp,
    files?: Record<string, string>,
  ][] = [
    ['tools that cannot be read', [], 'LINT_FAILED', /tools\.json:1: /, { 'tools.json': '{' }],
    ['one id twice', [PLAIN, PLAIN], 'LINT_FAILED', /tools\.json:1: /],
    [
      'records that cannot be read',
      [PLAIN],
      'LINT_FAILED',
      /interfaces\.json:1: /,
      { 'interfaces.json': '[{}]' },
    ],
    [
      'a reference to nothing',
      [{ ...PLAIN, inputSchema: { $ref: '#/$defs/x' } }],
      'LINT_FAILED',
      /input_schema: The reference "#\/\$defs\/x" has no target/,
    ],
    [
      'a reference out of the bundle',
      [{ ...PLAIN, resultSchema: { $ref: 'https://x.example/' } }],
      'LINT_FAILED',
      /result_schema: .* leads out of the bundle/,
    ],
    [
      'a reference to itself',
      [{ ...PLAIN, inputSchema: { $ref: '#' } }],
      'LINT_FAILED',
      /leads back to itself without end/,
    ],
    ['an invalid schema', [{ ...PLAIN, inputSchema: { type: 'text' } }], 'LINT_FAILED', /input_schema: /],
  ]
  for (const [what, tools, code, message, files] of cases) {
    test(what, () =>
      assert.throws(() => exported(tools, openai.format, files ? { files } : {}), { code, message }),
    )
  }

  test('an id that is not there, with the one that was meant', () => {
    assert.throws(() => exported([PLAIN], 'mcp', { ids: ['text.qeury'] }), {
      code: 'NOT_FOUND',
      hint: 'Did you mean "text.query"?',
    })
    assert.throws(() => exported([], 'mcp', { ids: ['x'] }), { code: 'NOT_FOUND', hint: 'It has no tools' })
  })
})

test('many tools that refer to one large schema are not written out without end', () => {
  const large = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(900_000) } } }
  const tools = Array.from({ length: 100 }, (_, at) => ({
    ...PLAIN,
    id: `t${at}`,
    inputSchema: { $ref: 'schema:large' },
  }))
  const files = { 'schemas/large.json': JSON.stringify(large) }
  assert.throws(() => exported(tools, 'mcp', { files }), {
    code: 'LIMIT_EXCEEDED',
    hint: 'Name some of the tools at a time',
  })
  assert.equal(exported(tools, 'mcp', { files, ids: ['t0', 't1'] }).tools, 2)
})

test('hostile tools: long texts, odd names, schemas of the largest size', () => {
  const names = [
    'constructor',
    'toString',
    '__defineGetter__',
    'a\u202eb',
    '🧰',
    ' x ',
    '-rf',
    '{{input.x}}',
    '../../etc',
  ]
  const deep = Array.from({ length: 55 }).reduce<object>(
    inner => ({ type: 'object', properties: { x: inner } }),
    { type: 'string' },
  )
  const wide = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 590 }, (_, at) => [`p${at}`, { type: 'string' }])),
  }
  const tools = [
    ...names.map(id => ({ ...PLAIN, id })),
    { ...PLAIN, id: 'long', description: 'x'.repeat(65_536) },
    { ...PLAIN, id: 'wide', inputSchema: wide },
    { ...PLAIN, id: 'deep', inputSchema: deep as JsonSchema },
  ].slice(0, -1)
  for (const { format } of EXPORTERS) {
    const { document, tools: count, names: renamed } = exported(tools, format)
    assert.equal(count, tools.length)
    assert.equal(Object.getPrototypeOf(renamed), Object.prototype)
    assert.deepEqual(JSON.parse(exportText(document)), document)
  }
  assert.ok(agentWith([PLAIN]).tools)
})
