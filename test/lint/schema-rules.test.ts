// What the lint rules about JSON Schemas say, and where they say nothing.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { fix } from '../../src/lint/fix.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { valuesIn } from '../../src/lint/rules/description-words.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { readCapability } from '../../src/policy/capability.ts'
import { agentTree } from '../support/agent.ts'
import { agentOf, CLOSED, found, json, messages } from '../support/lint-agent.ts'
import { memoryFiles } from '../support/memory.ts'
import { processorTime } from '../support/processor-time.ts'

/** An object with one described property of this schema. */
const one = (schema: string) =>
  json(`{"type":"object","properties":{"a":${schema}},"additionalProperties":false}`)
const described = (keywords: string) => one(`{"description":"x",${keywords}}`)

describe('an input schema', () => {
  const cases: [name: string, input: unknown, ...expected: string[]][] = [
    ['without arguments', CLOSED],
    ['an object that is described', described('"type":"string"')],
    ['true', true, 'empty'],
    ['empty', {}, 'empty'],
    ['empty but for words', { title: 'A', description: 'anything', $comment: 'x' }, 'empty'],
    ['false', false, 'impossible'],
    ['text', { type: 'string' }, 'not-object type'],
    ['a list or nothing', { type: ['array', 'null'] }, 'not-object type'],
    ['an object or nothing', { type: ['object', 'null'], additionalProperties: false }],
    ['an object without named keys', { type: 'object' }],
    [
      'an object that is open',
      json('{"type":"object","properties":{"a":{"description":"x"}}}'),
      'open-object',
    ],
    [
      'open, and everything is required',
      json('{"type":"object","properties":{"a":{"description":"x"}},"required":["a"]}'),
    ],
    ['open, without a type', json('{"properties":{"a":{"description":"x"}}}'), 'not-object', 'open-object'],
    ['closed by unevaluatedProperties', json('{"type":"object","unevaluatedProperties":false}')],
    ['open on purpose', json('{"type":"object","additionalProperties":{"type":"string"}}')],
    ['a map by patterns', json('{"type":"object","patternProperties":{"^a":{}}}')],
    [
      'an object in it that is open',
      described('"type":"object","properties":{"b":{}}'),
      'open-object properties/a',
    ],
    ['a map in it', described('"type":"object"')],
    [
      'parts of one object',
      json('{"type":"object","allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}'),
    ],
    [
      'parts of one object, and no type around them, which MCP demands',
      json('{"allOf":[{"type":"object","properties":{"a":{}}}],"unevaluatedProperties":false}'),
      'not-object',
    ],
    [
      'branches that only require',
      json('{"type":"object","properties":{"a":{"description":"x"}},"anyOf":[{"required":["a"]}]}'),
      'open-object',
    ],
    [
      'branches that name more',
      json('{"type":"object","properties":{"a":{"description":"x"}},"oneOf":[{"properties":{"b":{}}}]}'),
    ],
    [
      'a part behind a reference',
      json(
        '{"type":"object","allOf":[{"$ref":"#/$defs/base"}],"$defs":{"base":{"type":"object","properties":{"a":{}}}}}',
      ),
    ],
    [
      'properties called like keywords',
      one(
        '{"description":"x","type":"object","properties":{"not":{"type":"object","properties":{"b":{}},"additionalProperties":false}},"additionalProperties":false}',
      ),
    ],
    ['a property without words', one('{"type":"string"}'), 'no-description properties/a'],
    ['a property that is true', one('true'), 'no-description properties/a'],
    ['a property that is fixed', one('{"const":1}')],
    ['a property with blank words', one('{"description":" "}'), 'no-description properties/a'],
    [
      'words behind a reference',
      json(
        '{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"additionalProperties":false,"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"description":"x"}}}',
      ),
    ],
    [
      'no words behind a reference',
      json(
        '{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"additionalProperties":false,"$defs":{"a":{"type":"string"}}}',
      ),
      'no-description properties/a',
    ],
  ]
  for (const [name, input, ...expected] of cases) {
    test(`${name}: ${expected.join(', ') || 'nothing to say'}`, () =>
      assert.deepEqual(found(agentOf({ input })), expected))
  }

  test('is looked at where its reference leads, once for all tools', () => {
    const files = { 'schemas/a.json': { type: 'object', properties: { b: {} } } }
    const input = { $ref: 'schemas/a.json' }
    assert.deepEqual(found(agentOf({ input, more: [{ $ref: 'schema:a' }], files })), [
      'no-description schemas/a.json/properties/b',
      'open-object schemas/a.json/',
    ])
  })

  test('what models do not see needs no words and may be open', () => {
    const result = json('{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}}}')
    const toml = '[schemas.with]\ntype = "object"\n[schemas.with.properties.a]\ntype = "string"\n'
    assert.deepEqual(found(agentOf({ result, toml })), [])
  })

  test('the findings name what is meant, and not all of it', () => {
    const input = json(
      `{"type":"object","properties":{${[...'abcde'].map(name => `"${name}":{"type":"object","properties":{"x":{}}}`).join()}}}`,
    )
    assert.deepEqual(messages(agentOf({ input }), 'open-object'), [
      'The schema of "first" accepts a call that misspells an optional argument, "a", "b" and 3 more: Write "additionalProperties": false into each object',
    ])
    assert.deepEqual(messages(agentOf({ input }), 'no-description'), [
      'No description tells a model what "a", "b" and 3 more are: Add "description", with an example of a value',
    ])
  })
})

describe('keywords', () => {
  const cases: [keywords: string, ...expected: string[]][] = [
    ['"type":"strng"', 'invalid properties/a/type'],
    ['"minLength":"1"', 'invalid properties/a/minLength'],
    ['"enum":[]', 'invalid properties/a/enum'],
    ['"items":[{}]', 'invalid properties/a/items'],
    ['"pattern":"("', 'pattern properties/a/pattern'],
    ['"patternProperties":{"[":{}}', 'pattern properties/a/patternProperties/['],
    ['"pattern":"^a$"'],
    ['"type":"integer","default":5'],
    ['"type":"integer","default":5.0'],
    ['"type":"integer","default":"5"', 'default properties/a/default'],
    ['"type":["string","null"],"default":null'],
    ['"type":"string","nullable":true,"default":null', 'idle-keyword properties/a/nullable'],
    ['"type":"string","default":null', 'default properties/a/default'],
    ['"enum":["x","y"],"default":"z"', 'default properties/a/default'],
    ['"enum":["x","y"],"default":"x"'],
    ['"minimum":1,"default":0', 'default properties/a/default'],
    ['"maximum":1,"default":2', 'default properties/a/default'],
    ['"default":{"any":1}'],
    ['"minimum":2,"maximum":1', 'impossible properties/a/minimum'],
    ['"minimum":1,"maximum":1'],
    ['"exclusiveMinimum":1,"maximum":1', 'impossible properties/a/exclusiveMinimum'],
    ['"minLength":5,"maxLength":4', 'impossible properties/a/minLength'],
    ['"minItems":5,"maxItems":4', 'impossible properties/a/minItems'],
    ['"type":"string","enum":[1,2]', 'impossible properties/a/enum'],
    ['"type":"string","enum":[1,"2"]'],
    ['"type":"string","const":1', 'impossible properties/a/const'],
    [
      '"type":"object","properties":{"b":{}},"required":["c"],"additionalProperties":false',
      'impossible properties/a/required/0',
    ],
    [
      '"type":"object","properties":{"b":false},"required":["b"],"additionalProperties":false',
      'impossible properties/a/required/0',
    ],
    [
      '"type":"object","properties":{"b":{}},"required":["b","c"],"patternProperties":{"c":{}},"additionalProperties":false',
    ],
    [
      '"type":"object","properties":{"b":{}},"required":["c"]',
      'open-object properties/a',
      'required-undeclared properties/a/required/0',
    ],
    ['"type":"object","properties":{"b":{}},"required":["c"],"additionalProperties":{"type":"string"}'],
    ['"type":"object","properties":{"b":{}},"required":["c"],"allOf":[{"properties":{"c":{}}}]'],
    ['"requried":["b"]', 'unknown-keyword properties/a/requried'],
    ['"additionalProperty":false', 'unknown-keyword properties/a/additionalProperty'],
    ['"discription":"x"'],
    ['"min":1', 'unknown-keyword properties/a/min'],
    ['"ref":"#/a"', 'unknown-keyword properties/a/ref'],
    [
      '"example":1,"nullable":true,"discriminator":{},"id":5,"note":"x","comment":"x","x-requried":1,"colour":"red"',
      'idle-keyword properties/a/nullable',
      'idle-keyword properties/a/discriminator',
    ],
    ['"type":"string","enum":["a"],"enum ":1', ...[]],
  ]
  for (const [keywords, ...expected] of cases) {
    test(`${keywords}: ${expected.join(', ') || 'nothing to say'}`, () =>
      assert.deepEqual(found(agentOf({ input: described(keywords) })), expected))
  }

  test('words say what was meant', () => {
    const said = (keywords: string, id: string) => messages(agentOf({ input: described(keywords) }), id)
    assert.deepEqual(said('"requried":["b"]', 'unknown-keyword'), [
      '"requried" is no keyword of JSON Schema and says nothing: Did you mean "required"? If not, begin its name with "x-"',
    ])
    assert.deepEqual(said('"properties":{"query":{}},"required":["qurey"]', 'required-undeclared'), [
      '"qurey" is required, and properties does not describe it: Did you mean "query"?',
    ])
    assert.deepEqual(said('"type":["integer","null"],"default":"10"', 'default'), [
      'The default "10" is not of the type integer or null: Write 10',
    ])
    assert.deepEqual(said('"minimum":5,"maximum":1', 'impossible'), [
      'minimum is 5 and maximum is 1: no number fits: Correct minimum or maximum',
    ])
  })
})

describe('dialects', () => {
  const with07 = (keywords: string) =>
    json(
      `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,"properties":{"a":{"description":"x",${keywords}}}}`,
    )
  const draft = (name: string, keywords: string) =>
    json(`{"$schema":"${name}","type":"object","additionalProperties":false,${keywords}}`)
  const cases: [name: string, input: unknown, ...expected: string[]][] = [
    ['2020-12', draft('https://json-schema.org/draft/2020-12/schema', '"title":"x"')],
    ['draft-07 that means the same', with07('"type":"string"'), 'old-dialect $schema'],
    ['a list of items', with07('"items":[{}]'), 'dialect properties/a/items'],
    ['keywords beside $ref', with07('"$ref":"#","minProperties":1'), 'dialect properties/a/$ref'],
    [
      'a judgement beside $ref and a list of items',
      with07('"$ref":"#","items":[{}]'),
      'dialect properties/a/$ref',
      'dialect properties/a/items',
    ],
    ['draft-04', draft('http://json-schema.org/draft-04/schema#', '"title":"x"'), 'dialect $schema'],
    ['id in draft-07', draft('http://json-schema.org/draft-07/schema#', '"id":"x"'), 'old-dialect $schema'],
    ['$id at the root', json('{"$id":"https://a.example/x","type":"object","additionalProperties":false}')],
    ['an anchor', described('"$anchor":"a"'), 'dialect properties/a/$anchor'],
    ['$id below the root', described('"$id":"a"'), 'dialect properties/a/$id'],
    ['a name that is no text', described('"$dynamicAnchor":5'), 'dialect properties/a/$dynamicAnchor'],
    ['$dynamicRef', described('"$dynamicRef":"#/$defs/a"'), 'dialect properties/a/$dynamicRef'],
    [
      'a mistake beside a name',
      described('"$anchor":"a","minLength":"x"'),
      'dialect properties/a/$anchor',
      'invalid properties/a/minLength',
    ],
    ['an error that has nothing to do with it', with07('"minLength":"x"'), 'invalid properties/a/minLength'],
    ['an unknown one', draft('https://example.com/mine', '"title":"x"'), 'dialect $schema'],
    [
      'one further in',
      json(
        '{"type":"object","additionalProperties":false,"$defs":{"a":{"$schema":"http://json-schema.org/draft-06/schema#"}}}',
      ),
      'dialect $defs/a/$schema',
    ],
  ]
  for (const [name, input, ...expected] of cases) {
    test(`${name}: ${expected.join(', ') || 'nothing to say'}`, () =>
      assert.deepEqual(found(agentOf({ input })), expected))
  }

  test('what is beside $ref and judges nothing is fine', () => {
    const input = json(
      '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#/definitions/a","description":"x","title":"y","deprecated":true,"default":1,"examples":[1],"x-own":1}},"definitions":{"a":{}}}',
    )
    assert.deepEqual(found(agentOf({ input })), ['old-dialect $schema'])
  })
})

describe('--fix writes a schema in the dialect of bundles', () => {
  const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
  const LATEST = 'https://json-schema.org/draft/2020-12/schema'
  const base = (properties: object, more: object = {}) => ({
    type: 'object',
    properties,
    additionalProperties: false,
    ...more,
  })
  const cases: [what: string, input: object, fixed: object][] = [
    [
      'a $ref with siblings in draft-07',
      base(
        { a: { $ref: '#/$defs/b', description: 'x', minLength: 1 } },
        { $schema: DRAFT_07, $defs: { b: {} } },
      ),
      base(
        { a: { description: 'x', minLength: 1, allOf: [{ $ref: '#/$defs/b' }] } },
        { $schema: LATEST, $defs: { b: {} } },
      ),
    ],
    [
      'a $ref beside allOf',
      base(
        { a: { description: 'x', allOf: [{ minLength: 1 }], $ref: '#/$defs/b' } },
        { $schema: DRAFT_07, $defs: { b: {} } },
      ),
      base(
        { a: { description: 'x', allOf: [{ minLength: 1 }, { $ref: '#/$defs/b' }] } },
        { $schema: LATEST, $defs: { b: {} } },
      ),
    ],
    [
      'lists of items, one in the other',
      base(
        { a: { description: 'x', items: [{ items: [{ type: 'string' }] }], additionalItems: false } },
        { $schema: DRAFT_07 },
      ),
      base(
        { a: { description: 'x', prefixItems: [{ prefixItems: [{ type: 'string' }] }], items: false } },
        { $schema: LATEST },
      ),
    ],
    [
      'names that nothing refers to, and $schema below the root',
      base({ a: { description: 'x', $id: 'a', $anchor: 'b', $dynamicAnchor: 'c', $schema: DRAFT_07 } }),
      base({ a: { description: 'x' } }),
    ],
    [
      'an $id beside references that do not need it',
      base(
        { a: { description: 'x', $id: 'a' }, b: { $ref: '#/properties/a' } },
        { $id: 'https://a.example/' },
      ),
      base({ a: { description: 'x' }, b: { $ref: '#/properties/a' } }, { $id: 'https://a.example/' }),
    ],
  ]
  for (const [what, input, fixed] of cases) {
    test(what, () => {
      const agent = agentOf({ input })
      assert.notDeepEqual(found(agent), [], 'lint refuses it before')
      const after = fix(agent).agent
      assert.deepEqual(after.tools?.tools[0]?.inputSchema, fixed)
      assert.deepEqual(found(after), [])
    })
  }
  const kept: [what: string, input: object, ...found: string[]][] = [
    [
      'an anchor that a reference needs',
      base({ a: { description: 'x', $anchor: 'b' }, c: { description: 'x', $ref: '#b' } }),
      'dialect properties/a/$anchor',
      'ref-missing properties/c/$ref',
    ],
    [
      '$dynamicRef',
      base({ a: { description: 'x', $dynamicRef: '#/$defs/b' } }, { $defs: { b: {} } }),
      'dialect properties/a/$dynamicRef',
    ],
    [
      'an $id with a reference below it',
      base({ a: { description: 'x', $id: 'b', items: { $ref: '#' } } }),
      'dialect properties/a/$id',
    ],
    [
      'a reference into a list of items',
      base(
        { a: { description: 'x', items: [{}] }, b: { description: 'x', $ref: '#/properties/a/items/0' } },
        { $schema: DRAFT_07 },
      ),
      'dialect properties/a/items',
      'ref-missing properties/b/$ref',
    ],
  ]
  for (const [what, input, ...expected] of kept) {
    test(`${what} stays, and is refused`, () => {
      const { agent } = fix(agentOf({ input }))
      assert.deepEqual(
        found(agent).map(line => line.replace('invalid', 'dialect')),
        expected,
      )
    })
  }

  test('the file around it stays as it is written', () => {
    const text = (schema: string) =>
      `{ "version": 1, "tools": [\n { "id": "a", "description": "x", "transport": { "kind": "exec", "command": "/a" },\n   "input_schema": { "type": "object", "additionalProperties": false },\n   "result_schema": ${schema} } ] }\n`
    const agent = read(
      memoryFiles(agentTree({ files: { 'tools.json': text('{ "maximum": 1.50, "$anchor": "a" }') } })),
      'mini',
    )
    assert.equal(
      fix(agent).files.find(({ path }) => path === 'tools.json')?.text,
      text('{ "maximum": 1.50 }'),
    )
  })
})

test('a list of tools of another system names the command that imports it', () => {
  const said = (tools: unknown) =>
    lintAgent(
      read(memoryFiles(agentTree({ name: 'mini', files: { 'tools.json': JSON.stringify(tools) } })), 'mini'),
      UNPREPARED,
    )
      .filter(({ rule }) => rule === 'tools/version')
      .map(({ message, fix }) => `${message}: ${fix}`)
  const advice = (from: string) =>
    `Keep it outside the agent, and run rlp tool import AGENT FILE --from ${from} on it`
  assert.deepEqual(said({ tools: [{ name: 'a', inputSchema: {} }] }), [
    `This is a list of tools of MCP: ${advice('mcp')}`,
  ])
  const openai = { tools: [{ type: 'function', function: { name: 'a' } }] }
  assert.deepEqual(said(openai), [`This is a list of tools of OpenAI: ${advice('openai')}`])
  assert.deepEqual(said({ tools: [] }), ['"version" is missing: Write "version": 1'])
})

test('a capability in another script names the character', () => {
  const problem = (text: string) => readCapability(text)
  assert.deepEqual(problem('net:a.example'), { family: 'net', scope: 'a.example' })
  const found = problem('n\u0435t:a.example')
  assert.ok('problem' in found)
  assert.match(found.problem, /: it has the character U\+0435, which is not ASCII$/)
})

test('lists without items and patterns that OpenAI refuses are told once, and --fix describes the lists', () => {
  const bare = json(
    '{"type":"object","additionalProperties":false,"properties":{"a":{"type":"array","description":"x"},"b":{"type":["array","null"],"description":"x"},"c":{"type":"string","description":"x","pattern":"^\\\\p{L}"}}}',
  )
  const agent = agentOf({ input: bare, more: [bare], files: { 'schemas/x.json': bare } })
  assert.deepEqual(messages(agent, 'refused-elsewhere'), [
    '4 lists do not say what they hold, which OpenAI and VS Code refuse: "first.a", "first.b", "more0.a" and "more0.b": Write "items" with the schema of one item there; "items": {} takes any, as now',
    '2 patterns are refused by OpenAI, because each names a Unicode property (\\p): "first.c" and "more0.c": Write it without that, or say it in the description; the runtime checks what the pattern says',
  ])
  const { files, agent: fixed } = fix(agent)
  assert.deepEqual(
    files.map(({ path }) => path),
    ['tools.json'],
    'what is no input stays',
  )
  assert.match(messages(fixed, 'refused-elsewhere').join(), /^2 patterns are refused by OpenAI/)
  assert.equal(files[0]?.text.split('"items": {}').length, 5)
})

test('open objects are told once a file, and closed with --fix in the way they are written', () => {
  const open = json('{"type":"object","properties":{"a":{"description":"x","properties":{"b":{}}}}}')
  const agent = agentOf({ input: open, more: [open, {}, CLOSED], files: { 'schemas/x.json': open } })
  assert.deepEqual(messages(agent, 'open-object'), [
    '2 tools have a schema that accepts a call with a misspelled optional argument: "first" and "more0": Write "additionalProperties": false into each input; rlp agent lint --fix does it',
  ])
  const { files, agent: fixed } = fix(agent)
  assert.deepEqual(
    files.map(({ path }) => path),
    ['tools.json'],
    'what is no input stays',
  )
  assert.deepEqual(messages(fixed, 'open-object'), [])
  const closed = '"additionalProperties":false'
  const compact = JSON.stringify(JSON.parse(files[0]?.text ?? ''))
  assert.equal(
    compact.split(
      `{"type":"object","properties":{"a":{"description":"x","properties":{"b":{}},${closed}}},${closed}}`,
    ).length,
    3,
  )
})

test('an older dialect is told once a file, and corrected with --fix', () => {
  const old = (title: string) => ({ $schema: 'http://json-schema.org/draft-07/schema#', ...CLOSED, title })
  const agent = agentOf({ input: old('a'), more: [old('b'), CLOSED], files: { 'schemas/x.json': old('c') } })
  assert.deepEqual(messages(agent, 'old-dialect'), [
    'The schema says that it is draft-07; it is read as 2020-12, which means the same here: Write "https://json-schema.org/draft/2020-12/schema", or remove "$schema"',
    'The schema says that it is draft-07; it is read as 2020-12, which means the same here (in 2 tools: "first" and "more0"): Write "https://json-schema.org/draft/2020-12/schema", or remove "$schema"',
  ])
  const { files, agent: fixed } = fix(agent)
  assert.deepEqual(
    files.map(({ path }) => path),
    ['schemas/x.json', 'tools.json'],
  )
  assert.deepEqual(messages(fixed, 'old-dialect'), [])
  const before = JSON.stringify(agent.documents.get('tools.json')?.value)
  const expected = before.replaceAll(
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2020-12/schema',
  )
  assert.equal(JSON.stringify(fixed.documents.get('tools.json')?.value), expected)
  assert.notEqual(expected, before)
})

describe('references', () => {
  const at = 'properties/a/$ref'
  const ref = (text: string) => described(`"$ref":${JSON.stringify(text)}`)
  const files = {
    'schemas/a.v1.json': {
      type: 'string',
      $defs: { b: { type: 'string' } },
      components: { c: { type: 'string' } },
    },
    'schemas/list.json': [],
  }
  const cases: [ref: string, ...expected: string[]][] = [
    ['#', ...[]],
    ['#/nowhere', `ref-missing ${at}`],
    ['#/$defs/none', `ref-missing ${at}`],
    ['#anchor', `ref-missing ${at}`],
    ['#/%', `ref-missing ${at}`],
    ['#/properties/__proto__', `ref-missing ${at}`],
    ['#/properties/a/description', `ref-missing ${at}`],
    ['https://example.com/a.json', `ref-remote ${at}`],
    ['//example.com/a.json', `ref-remote ${at}`],
    ['file:///etc/passwd', `ref-remote ${at}`],
    ['urn:uuid:1', `ref-remote ${at}`],
    ['/etc/passwd', `ref-invalid ${at}`],
    ['../a.json', `ref-invalid ${at}`],
    ['schema:', `ref-invalid ${at}`],
    ['schema:../a', `ref-invalid ${at}`],
    ['', `ref-invalid ${at}`],
    ['tools.json#/tools/0/input_schema', `ref-invalid ${at}`],
    ['manifest.toml', `ref-invalid ${at}`],
    ['schemas/none.json', `ref-missing ${at}`],
    ['none.json', `ref-invalid ${at}`],
    ['schemas/a.v1.json'],
    ['./schemas/a.v1.json#/$defs/b'],
    ['schemas/a.v1.json#/$defs/none', `ref-missing ${at}`],
    ['schemas/a.v1.json#/components/c', `ref-missing ${at}`],
    ['schemas/list.json', 'invalid schemas/list.json/', `ref-missing ${at}`],
    ['schema:a.v1'],
    ['schema:a.v1#/$defs/b'],
    ['schema:none.v1', `ref-registry ${at}`],
  ]
  for (const [text, ...expected] of cases) {
    test(`${text}: ${expected.join(', ') || 'nothing to say'}`, () => {
      const used = { $ref: 'schemas/a.v1.json' }
      const only = text.includes('list') ? files : { 'schemas/a.v1.json': files['schemas/a.v1.json'] }
      const input =
        text === '#'
          ? json(
              '{"type":"object","additionalProperties":false,"properties":{"a":{"description":"x","$ref":"#"}}}',
            )
          : ref(text)
      const agent = agentOf({ input, files: only, result: used })
      assert.deepEqual(
        found(agent)
          .filter(line => !line.startsWith('unused'))
          .sort(),
        [...expected].sort(),
      )
    })
  }

  test('misspelt ones are guessed', () => {
    const input = json(
      '{"type":"object","additionalProperties":false,"properties":{"a":{"description":"x","$ref":"#/$defs/adress"},"b":{"description":"x","$ref":"schemas/mail.json"}},"$defs":{"address":{}}}',
    )
    const agent = agentOf({ input, files: { 'schemas/mails.json': {} } })
    assert.deepEqual(messages(agent, 'ref-missing'), [
      'The reference "#/$defs/adress" has no target: Did you mean "#/$defs/address"?',
      'The reference "schemas/mail.json" names a file that is not there: Did you mean "schemas/mails.json"?',
    ])
  })

  test('a file is read with the ids of the tool that refers to it', () => {
    const shared = { 'schemas/a.json': { type: 'array', items: { $ref: 'schema:item.v1' } } }
    const list = described('"$ref":"schemas/a.json"')
    assert.deepEqual(
      found(agentOf({ input: list, files: shared, refs: { 'item.v1': { type: 'string' } } })),
      [],
    )
    assert.deepEqual(found(agentOf({ input: list, files: shared })), [
      'ref-registry schemas/a.json/items/$ref',
    ])
    // In place, so that the tool's own entry closes a circle that the file by itself has not.
    const inPlace = { 'schemas/a.json': { anyOf: [{ type: 'string' }, { $ref: 'schema:item.v1' }] } }
    const refs = { 'item.v1': { $ref: 'schemas/a.json' } }
    const [problem, ...rest] = found(agentOf({ input: list, files: inPlace, refs }))
    assert.match(problem ?? '', /^endless /)
    assert.deepEqual(rest, [])
    const other = { 'schemas/item.v1.json': { type: 'string' }, ...inPlace }
    assert.match(found(agentOf({ input: list, files: other, refs }))[0] ?? '', /^endless /)
    assert.deepEqual(found(agentOf({ input: list, files: other })), [])
  })

  test('an alias in schema_refs: the id that it stands for', () => {
    const list = described('"$ref":"schema:item"')
    const files = { 'schemas/item.v1.json': { type: 'string' } }
    assert.deepEqual(found(agentOf({ input: list, files, refs: { item: 'item.v1' } })), [])
    assert.deepEqual(found(agentOf({ input: list, files, refs: { item: 'schema:item.v1' } })), [])
    assert.deepEqual(found(agentOf({ files, refs: { unused: 'item.v1' } })), [], 'the file counts as used')
    assert.deepEqual(messages(agentOf({ input: list, refs: { item: 'item.v1' } }), 'ref-registry'), [
      '"schema:item.v1" is not in the bundle: only the runtime’s registry can have it: Pack it as "schemas/item.v1.json", or keep it if the runtime has it',
    ])
    const twice = { item: 'item.v1', 'item.v1': { type: 'string' } }
    assert.deepEqual(messages(agentOf({ input: list, refs: twice }), 'ref-registry'), [
      '"schema:item.v1" is not in the bundle: only the runtime’s registry can have it: Pack it as "schemas/item.v1.json"; an alias is followed once',
    ])
    assert.deepEqual(messages(agentOf({ input: list, refs: { item: 'a/../b' } }), 'ref-invalid'), [
      'The reference "schema:item" has an alias for an id that has a ".." segment: Write schema:<id>, a path such as schemas/address.v1.json, or #/$defs/<name>',
    ])
  })

  test('an id that only another tool has', () => {
    const agent = agentOf({
      refs: { 'item.v1': { type: 'string' } },
      more: [described('"$ref":"schema:item.v1"')],
    })
    assert.deepEqual(messages(agent, 'ref-registry'), [
      '"schema:item.v1" is not in the bundle: only the runtime’s registry can have it: Pack it as "schemas/item.v1.json"; the schema_refs of another tool are not looked into',
    ])
  })

  test('files that nothing refers to', () => {
    const files = {
      'schemas/a.json': {},
      'schemas/b.json': { not: { $ref: '#' } },
      'schemas/in.v1.json': {},
      'schemas/c.json': { $ref: 'd.json' },
      'schemas/d.json': { type: 'string' },
    }
    const agent = agentOf({
      input: described('"$ref":"schemas/a.json"'),
      files,
      toml: '[ports]\nin = ["in.v1"]\n',
    })
    assert.deepEqual(
      found(agent).filter(line => line.startsWith('unused')),
      ['unused schemas/b.json/', 'unused schemas/c.json/'],
    )
  })

  test('settings may refer to files, and are read from the top of the bundle', () => {
    const toml =
      '[schemas.with]\n"$ref" = "schemas/a.json"\n[schemas.with.properties.b]\n"$ref" = "https://example.com/"\n'
    const agent = agentOf({ files: { 'schemas/a.json': { type: 'object' } }, toml })
    assert.deepEqual(found(agent), ['ref-remote manifest.toml/schemas/with/properties/b/$ref'])
  })
})

describe('values that only prose tells', () => {
  const closed: [description: string, ...values: string[]][] = [
    ['One of: asc, desc', 'asc', 'desc'],
    ['Order: one of asc or desc.', 'asc', 'desc'],
    ['The order (one of "asc", "desc")', 'asc', 'desc'],
    ['Either "a" or "b"', 'a', 'b'],
    ["Allowed values: 'x', 'y' and 'z'.", 'x', 'y', 'z'],
    ['asc|desc', 'asc', 'desc'],
    ['Sort order (asc | desc)', 'asc', 'desc'],
    ['must be `open` or `closed`', 'open', 'closed'],
    ['One of the labels of the repository'],
    ['Either owner or repo'],
    ['For example one of asc, desc'],
    ['Repository owner (username or organization)'],
    ['One of a, b, c, …'],
    ['must be lower-case, trimmed or empty'],
    ['A name'],
    [''],
  ]
  for (const [text, ...values] of closed) {
    test(`${JSON.stringify(text)} lists ${values.join(', ') || 'nothing'}`, () =>
      assert.deepEqual(valuesIn(text), values))
  }
  test('each is reported, where no keyword says it; a default is said as well by the description alone', () => {
    const properties = {
      a: { type: 'string', description: 'One of x, y' },
      b: { type: 'string', description: 'One of x, y' },
      c: { type: 'string', description: 'One of x, y', enum: ['x', 'y'] },
      d: { type: 'integer', description: 'Defaults to 3' },
    }
    const agent = agentOf({ input: { type: 'object', properties, additionalProperties: false } })
    assert.deepEqual(messages(agent, 'prose-only'), [
      'Only the description says which values "a" can have: Add "enum": ["x", "y"]',
      'Only the description says which values "b" can have: Add "enum": ["x", "y"]',
    ])
  })

  test('they are looked for in linear time', () => {
    const start = processorTime()
    for (const part of ['"a", ', 'one of ', 'a|', "'", 'one of a, ']) {
      valuesIn(part.repeat(1e6 / part.length))
    }
    assert.ok(processorTime() - start < 1000)
  })
})
