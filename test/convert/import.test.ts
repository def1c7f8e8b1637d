// Other systems' files as tools of an agent: what is taken, what is made up and marked, what is refused.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { IMPORTERS } from '../../src/convert/importers/index.ts'
import type { RunChoice } from '../../src/convert/importers/run-choice.ts'
import { ERRORS, RlpError } from '../../src/model/error.ts'
import { anyText } from '../support/any-text.ts'
import { exported, HTTP, imported, PLAIN, told } from '../support/conversion.ts'
import { runs } from '../support/runs.ts'

const elsewhere = (name: string) => readFileSync(`fixtures/tools-elsewhere/${name}`, 'utf8')
const BY_COMMAND: RunChoice = { is: 'command', command: '/usr/bin/call' }
const RUN = { run: BY_COMMAND }

describe('agentcli', () => {
  test('exec tools that read standard input; what is made up is marked', () => {
    const { format, tools, changes } = imported(elsewhere('agentcli.tools.json'), {
      installDir: '/opt/clock',
    })
    assert.equal(format, 'agentcli')
    assert.deepEqual(tools, [
      {
        tool: {
          ...PLAIN,
          id: 'clock',
          description: 'The time in a time zone',
          transport: { kind: 'exec', command: '/opt/clock/tools/bin/clock', args: ['--json'] },
          inputSchema: JSON.parse(elsewhere('agentcli.tools.json')).tools[0].schema,
          rlp: { stdin: true, timeoutMs: 5000, env: ['TZ'] },
        },
        inferred: ['transport', 'result_schema'],
        isDecided: false,
        facts: {},
      },
      {
        tool: {
          ...PLAIN,
          id: 'probe',
          description: 'probe',
          transport: { kind: 'exec', command: '/usr/local/bin/probe', args: [] },
          inputSchema: { type: 'object' },
        },
        inferred: ['description', 'input_schema', 'result_schema'],
        isDecided: false,
        facts: {},
      },
    ])
    assert.deepEqual(told(changes), [
      'clock inferred command: ./tools/bin/ is taken to lie in /opt/clock',
      'clock inferred result_schema: anything: the file does not say what it answers',
      'probe inferred description: its name: the file does not say what it does',
      'probe inferred input_schema: any object: the file does not say what it takes',
      'probe inferred result_schema: anything: the file does not say what it answers',
    ])
  })

  test('keys that agentcli does not read are lost, and said to be', () => {
    const known = { NAME: 'a', command: ['/a'], description: 'd' }
    const lost = (document: unknown) => told(imported(document).changes).filter(line => / lost /.test(line))
    assert.deepEqual(lost({ $schema: 'x', tools: [known] }), [])
    const odd = { ...known, timeoutSecs: 5, cwd: '/', 'x-a': 1 }
    assert.deepEqual(lost({ tools: [{ ...known, NAME: 'b' }, odd], about: '1' }), [
      '* lost other: "about": agentcli reads no such key',
      'a lost other: "timeoutSecs", "cwd", "x-a": agentcli reads no such key',
    ])
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`k${index}`, 1]))
    assert.match(
      lost({ tools: [{ ...known, ...many }] }).join(),
      /"k7" and 2 more: agentcli reads no such key$/,
    )
  })

  test('a time limit above an hour is cut, and said to be', () => {
    const { tools, changes } = imported({ tools: [{ name: 'a', command: ['/a'], timeoutSec: 4000 }] })
    assert.equal(tools[0]?.tool.rlp.timeoutMs, 3_600_000)
    assert.ok(told(changes).includes('a lost timeout_ms: 4000 s become an hour'))
  })

  test('PATH and HOME, which every tool gets, are not asked for; secrets are never made of names', () => {
    const { tools } = imported({
      tools: [{ name: 'a', command: ['/a'], envPassthrough: ['PATH', 'home', 'OAI_API_KEY'] }],
    })
    assert.deepEqual([tools[0]?.tool.rlp.env, tools[0]?.tool.secrets], [['OAI_API_KEY'], []])
  })
})

describe('openai', () => {
  test('functions of chat completions', () => {
    const { format, tools, changes } = imported(elsewhere('openai.chat.json'), {
      ...RUN,
      names: new Map([['parcel__track', 'parcel.track']]),
    })
    assert.equal(format, 'openai')
    assert.deepEqual(
      tools.map(({ tool, inferred, facts }) => [tool.id, tool.transport, tool.rlp.stdin, inferred, facts]),
      [
        [
          'parcel.track',
          { kind: 'exec', command: '/usr/bin/call', args: ['parcel__track'] },
          true,
          ['result_schema'],
          {},
        ],
        [
          'ping',
          { kind: 'exec', command: '/usr/bin/call', args: ['ping'] },
          true,
          ['description', 'input_schema', 'result_schema'],
          {},
        ],
      ],
    )
    assert.equal(told(changes)[0], 'parcel__track renamed id: parcel__track is parcel.track here')
  })

  test('a request of the responses API, with what is no function', () => {
    const { tools, changes } = imported(elsewhere('openai.responses.json'), { ...RUN, from: 'openai' })
    assert.deepEqual(
      tools.map(({ tool, facts }) => [tool.id, facts]),
      [['parcel__track', { should_defer: true }]],
    )
    assert.deepEqual(told(changes), [
      '* lost other: [1] is of the type "web_search", which only OpenAI can run: it is left out',
      'parcel__track inferred result_schema: anything: the file does not say what it answers',
    ])
  })

  test('a strict that does not fit the schema is lost, one that fits comes back by itself', () => {
    const one = (parameters: object, strict: boolean) =>
      told(
        imported([{ type: 'function', function: { name: 'a', description: 'd', parameters, strict } }], RUN)
          .changes,
      ).filter(line => line.includes('strict'))
    const closed = { type: 'object', properties: {}, additionalProperties: false }
    assert.deepEqual(one(closed, true), [])
    assert.deepEqual(one({ type: 'object' }, false), [])
    assert.deepEqual(one({ type: 'object' }, true), ['a lost strict: true: an export goes by the schema'])
    assert.deepEqual(one(closed, false), ['a lost strict: false: an export goes by the schema'])
  })
})

describe('mcp', () => {
  test('stated facts become records and a confirmation, the rest is said', () => {
    const { format, tools, changes } = imported(elsewhere('mcp.tools-list.json'), RUN)
    assert.equal(format, 'mcp')
    assert.deepEqual(
      tools.map(({ tool, facts, inferred }) => [
        tool.id,
        tool.requiresConfirmation,
        tool.tags,
        facts,
        inferred,
      ]),
      [
        [
          'notes/search',
          false,
          ['notes'],
          { user_facing_name: 'Search notes', is_read_only: true, is_open_world: false },
          [],
        ],
        [
          'notes-delete',
          true,
          [],
          { user_facing_name: 'Delete a note', is_read_only: false, is_destructive: true },
          ['requires_confirmation', 'result_schema'],
        ],
      ],
    )
    assert.deepEqual(told(changes), [
      'notes/search lost idempotent: neither tools.json nor Agent Tool has a word for it',
      'notes/search lost other: vendor/color: tools.json has no place for it',
      'notes-delete inferred requires_confirmation: true: destructiveHint says that a call can destroy something',
      'notes-delete lost other: icons: tools.json has no place for it',
      'notes-delete inferred result_schema: anything: the file does not say what it answers',
    ])
  })

  test('the list alone, and a JSON-RPC response', () => {
    const { tools } = JSON.parse(elsewhere('mcp.tools-list.json'))
    for (const document of [tools, { jsonrpc: '2.0', id: 1, result: { tools } }])
      assert.deepEqual(imported(document, RUN), imported({ tools }, RUN))
  })

  test('a page that is not the last one', () => {
    const document = { tools: [{ name: 'a', description: 'd', inputSchema: {} }], nextCursor: 'x' }
    assert.ok(
      told(imported(document, RUN).changes).includes('* lost other: the server has more pages than this one'),
    )
  })

  test('_meta of others is not taken for ours', () => {
    const _meta = {
      'rlp/id': 7,
      'rlp/tags': ['a', 1],
      'rlp/budget': { tokens: -1, usd: 'x' },
      'rlp/capabilities': 'exec',
    }
    const [one] = imported({ tools: [{ name: 'a', description: 'd', inputSchema: {}, _meta }] }, RUN).tools
    assert.deepEqual(
      [one?.tool.id, one?.tool.tags, one?.tool.budget, one?.tool.capabilities],
      ['a', ['a'], undefined, []],
    )
  })
})

const HEADERS = { Authorization: 'Bearer {{secret:runloop/a/b}}' }

describe('how tools are run that a file only describes', () => {
  const document = (...names: string[]) => ({
    tools: names.map(name => ({ name, description: 'd', inputSchema: {}, outputSchema: { type: 'object' } })),
  })
  const url = (url: string): RunChoice => ({
    is: 'url',
    method: 'POST',
    url,
    headers: { Authorization: 'Bearer {{secret:runloop/a/b}}' },
  })

  test('nothing is guessed', () => {
    assert.throws(() => imported(document('a')), {
      code: 'USAGE',
      message: /does not say how its tools are run$/,
      hint: /--transport-from .*--command .*--url/,
    })
  })

  test('by a request each, with the secrets that its headers name', () => {
    const [one] = imported(document('a b/c'), { run: url('https://h.example/{name}/x') }).tools
    assert.deepEqual(
      [one?.tool.transport, one?.tool.secrets, one?.tool.rlp.stdin],
      [
        {
          kind: 'http',
          method: 'POST',
          url: 'https://h.example/a%20b%2Fc/x',
          headers: { Authorization: 'Bearer {{secret:runloop/a/b}}' },
        },
        ['runloop/a/b'],
        false,
      ],
    )
    assert.throws(() => imported(document('a', 'b'), { run: url('https://h.example/') }), {
      code: 'USAGE',
      hint: /\{name\}/,
    })
    assert.equal(imported(document('a'), { run: url('https://h.example/') }).tools.length, 1)
  })

  test('as another file has it, with what goes along with that', () => {
    const known = { ...HTTP, id: 'a', secrets: ['s'], capabilities: ['time'], requiresConfirmation: true }
    const run: RunChoice = { is: 'from', label: 'tools.json', tools: [known] }
    const [one] = imported(document('a'), { run }).tools
    assert.deepEqual(
      [one?.tool.transport, one?.tool.secrets, one?.tool.capabilities, one?.tool.requiresConfirmation],
      [known.transport, ['s'], ['time'], true],
    )
    assert.throws(() => imported(document('a', 'b'), { run }), {
      code: 'NOT_CONVERTIBLE',
      message: /has no tool "b"$/,
    })
  })

  test('a name never becomes something else than an argument', () => {
    for (const name of ['-rf', '--help', '{{input.x}}', '{{secret:a}}', '{{'])
      assert.throws(() => imported(document(name), RUN), {
        code: 'NOT_CONVERTIBLE',
        message: /would be (?:an option|a template) of the program$/,
      })
    for (const name of ['.', '..'])
      assert.throws(() => imported(document(name), { run: url('https://h.example/{name}') }), {
        code: 'NOT_CONVERTIBLE',
      })
    const [one] = imported(document('$& $1'), { run: url('https://h.example/{name}') }).tools
    assert.deepEqual(one?.tool.transport, {
      kind: 'http',
      method: 'POST',
      url: 'https://h.example/%24%26%20%241',
      headers: HEADERS,
    })
  })
})

describe('schemas are written in the dialect of bundles', () => {
  const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
  const LATEST = 'https://json-schema.org/draft/2020-12/schema'
  const input = (schema: object) => {
    const { tools, changes } = imported(
      { tools: [{ name: 'a', description: 'x', inputSchema: schema }] },
      RUN,
    )
    const about = changes.filter(({ message }) =>
      message.startsWith('it is written in the dialect of bundles'),
    )
    return { schema: tools[0]?.tool.inputSchema, isTold: about.length > 0 }
  }
  const same: [what: string, schema: object][] = [
    [
      '$schema of draft-07 at the top',
      { $schema: DRAFT_07, type: 'object', properties: { b: { type: 'string' } } },
    ],
    [
      '$defs and references',
      { type: 'object', properties: { b: { $ref: '#/$defs/c' } }, $defs: { c: { type: 'string' } } },
    ],
    ['$id at the top', { $id: 'https://a.example/b', type: 'object' }],
    ['what cannot be rewritten', { type: 'object', properties: { b: { $dynamicRef: '#c' } } }],
  ]
  for (const [what, schema] of same)
    test(`${what}: as it is`, () => assert.deepEqual(input(schema), { schema, isTold: false }))
  const changed: [what: string, schema: object, expected: object][] = [
    [
      '$schema below the top',
      { type: 'object', properties: { b: { $schema: LATEST, type: 'string' } } },
      { type: 'object', properties: { b: { type: 'string' } } },
    ],
    [
      '$id and $anchor that nothing refers to',
      { type: 'object', properties: { b: { $id: 'c', $anchor: 'd', type: 'string' } } },
      { type: 'object', properties: { b: { type: 'string' } } },
    ],
    [
      'a $ref with siblings in draft-07',
      {
        $schema: DRAFT_07,
        type: 'object',
        properties: { b: { $ref: '#/definitions/c', minLength: 1 } },
        definitions: { c: {} },
      },
      {
        $schema: LATEST,
        type: 'object',
        properties: { b: { minLength: 1, allOf: [{ $ref: '#/definitions/c' }] } },
        definitions: { c: {} },
      },
    ],
  ]
  for (const [what, schema, expected] of changed)
    test(`${what}: rewritten, and told`, () =>
      assert.deepEqual(input(schema), { schema: expected, isTold: true }))
})

describe('which tools, and which file', () => {
  test('only those that are named, with only their changes', () => {
    const { tools, changes } = imported(elsewhere('agentcli.tools.json'), { only: ['probe'] })
    assert.deepEqual(
      tools.map(({ tool }) => tool.id),
      ['probe'],
    )
    assert.ok(told(changes).every(line => line.startsWith('probe ')))
    assert.throws(() => imported(elsewhere('agentcli.tools.json'), { only: ['x'] }), {
      code: 'NOT_FOUND',
      hint: 'It has "clock", "probe"',
    })
  })

  const entry = { name: 'a', command: ['/a'] }
  const kinds: [what: string, document: unknown, code: string, message: RegExp][] = [
    [
      'a mixture',
      { version: 1, tools: [entry] },
      'WRONG_FILE_TYPE',
      /it shows marks of more than one system$/,
    ],
    [
      'a mixture in a list',
      [
        { name: 'a', inputSchema: {} },
        { type: 'function', function: {} },
      ],
      'WRONG_FILE_TYPE',
      /more than one system$/,
    ],
    ['our own', { version: 1, tools: [] }, 'WRONG_FILE_TYPE', /of the kind that agents have$/],
    [
      'Agent Tool records that do not fit their schemas',
      [{ schema_version: '0.2.0', tool_id: 'a' }],
      'NOT_CONVERTIBLE',
      /its record 0 does not fit its schema$/,
    ],
    ['anybody’s', { tools: [{ id: 'a' }] }, 'WRONG_FILE_TYPE', /its content shows no system’s marks$/],
    ['no JSON', '{', 'NOT_CONVERTIBLE', /1:2: expected a key/],
    ['nothing', '', 'NOT_CONVERTIBLE', /"tools.json": /],
  ]
  for (const [what, document, code, message] of kinds)
    test(what, () => assert.throws(() => imported(document, RUN), { code, message }))

  test('an empty list is valid in every format, and is no tools', () => {
    const lists: [document: unknown, from: 'agentcli' | 'openai' | 'mcp' | 'agent-tool'][] = [
      [{ tools: [] }, 'agentcli'],
      [{ tools: null }, 'agentcli'],
      [[], 'openai'],
      [{ tools: [] }, 'mcp'],
      [[], 'agent-tool'],
    ]
    for (const [document, from] of lists)
      for (const run of [
        RUN,
        { run: { is: 'url', method: 'POST', url: 'https://h.example', headers: {} } },
      ] as const)
        assert.deepEqual(imported(document, { ...run, from }), { format: from, tools: [], changes: [] })
    // Only agentcli has a list that says no more than this.
    assert.deepEqual(imported({ tools: [] }), { format: 'agentcli', tools: [], changes: [] })
  })

  test('--from decides where the content cannot', () => {
    assert.throws(() => imported({ tools: [entry] }, { ...RUN, from: 'mcp' }), {
      code: 'NOT_CONVERTIBLE',
      message: /tools\[0\]\.inputSchema is missing$/,
    })
  })
})

describe('bad input', () => {
  const mcp = (tool: object) => ({ tools: [{ name: 'a', description: 'd', inputSchema: {}, ...tool }] })
  const chat = (about: object) => [{ type: 'function', function: { name: 'a', description: 'd', ...about } }]
  const cli = (text: string) => `{"tools":[{"name":"a","command":["/a"],${text}}]}`
  const nested = (depth: number) => `${'{"x":'.repeat(depth)}1${'}'.repeat(depth)}`
  const cases: [what: string, document: unknown, message: RegExp][] = [
    [
      'agentcli would not load it',
      { tools: [{ name: 'a', command: ['./bin/x'] }] },
      /relative command\[0\] must start with \.\/tools\/bin\/$/,
    ],
    [
      'two of one name',
      {
        tools: [
          { name: 'a', command: ['/a'] },
          { name: 'a', command: ['/b'] },
        ],
      },
      /duplicate name$/,
    ],
    [
      'an argument that would be a template',
      { tools: [{ name: 'a', command: ['/a', '{{input.x}}'] }] },
      /would be a template here$/,
    ],
    ['an invalid schema', cli('"schema":"x"'), /its schema is no JSON Schema$/],
    [
      'a key twice in a schema',
      cli('"schema":{"type":"object","type":"string"}'),
      /its schema: The key "type" appears twice/,
    ],
    [
      '__proto__ in a schema',
      cli('"schema":{"__proto__":{}}'),
      /its schema: The key "__proto__" is not allowed$/,
    ],
    [
      'a lone surrogate in a schema',
      cli('"schema":{"title":"\\ud800"}'),
      /its schema: A surrogate without its other half/,
    ],
    [
      'an integer beyond 2^53 in a schema',
      cli('"schema":{"maximum":9007199254740993}'),
      /its schema: An integer beyond 2\^53-1/,
    ],
    [
      'a depth bomb in a schema',
      cli(`"schema":${nested(5000)}`),
      /its schema: More than 64 levels of nesting$/,
    ],
    ['a name that is blank', { tools: [{ name: ' ', command: ['/a'] }] }, /a tool is called " "$/],
    ['mcp: no name', { tools: [{ inputSchema: {} }] }, /tools\[0\]\.name is missing$/],
    ['mcp: a name that is no text', mcp({ name: 1 }), /tools\[0\]\.name is no text$/],
    ['mcp: an invalid entry', { tools: [{ name: 'a', inputSchema: {} }, 1] }, /tools\[1\] is no object$/],
    ['mcp: a schema that is no object', mcp({ outputSchema: [] }), /tools\[0\]\.outputSchema is no object$/],
    [
      'mcp: annotations that are no object',
      mcp({ annotations: 'x' }),
      /tools\[0\]\.annotations is no object$/,
    ],
    [
      'mcp: two of one name',
      { tools: [...mcp({}).tools, ...mcp({}).tools] },
      /two of its tools would be called "a"$/,
    ],
    [
      'mcp: a key twice',
      '{"tools":[{"name":"a","name":"b","inputSchema":{}}]}',
      /1:\d+: the key "name" appears twice/,
    ],
    [
      'mcp: __proto__',
      '{"tools":[{"name":"a","inputSchema":{"__proto__":1}}]}',
      /the key "__proto__" is not allowed$/,
    ],
    ['mcp: a lone surrogate', '{"tools":[{"name":"\\udc00","inputSchema":{}}]}', /surrogate/],
    [
      'mcp: a depth bomb',
      `{"tools":[{"name":"a","inputSchema":${nested(5000)}}]}`,
      /more than 64 levels of nesting$/,
    ],
    ['openai: no name', chat({ name: null }), /\[0\]\.name is missing, or no text$/],
    ['openai: parameters that are no object', chat({ parameters: [] }), /\[0\]\.parameters is no object$/],
    ['openai: a description that is no text', chat({ description: 1 }), /\[0\]\.description is no text$/],
    [
      'openai: only invalid tools',
      [{ type: 'function', function: { name: 'a' } }, { type: 'web_search' }].slice(1),
      /it has no tools$/,
    ],
    [
      'too many',
      { tools: Array.from({ length: 2001 }, (_, at) => ({ name: `t${at}`, inputSchema: {} })) },
      /it has 2001 tools; at most 2000/,
    ],
  ]
  for (const [what, document, message] of cases) {
    test(what, () => {
      const from = what.startsWith('openai') ? { from: 'openai' as const } : {}
      assert.throws(() => imported(document, { ...RUN, ...from }), { code: 'NOT_CONVERTIBLE', message })
    })
  }

  test('names that mean something to JavaScript are names', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf']
    const { tools } = imported(
      { tools: names.map(name => ({ name, description: 'd', inputSchema: {} })) },
      { ...RUN, names: new Map() },
    )
    assert.deepEqual(
      tools.map(({ tool }) => tool.id),
      names,
    )
  })

  test('a description of two million characters', () => {
    const { tools } = imported(mcp({ description: 'x'.repeat(2_000_000) }), RUN)
    assert.equal(tools[0]?.tool.description.length, 2_000_000)
  })

  test('names that the map brings together are refused', () => {
    const names = new Map([
      ['a', 'c'],
      ['b', 'c'],
    ])
    const document = { tools: ['a', 'b'].map(name => ({ name, description: 'd', inputSchema: {} })) }
    assert.throws(() => imported(document, { ...RUN, names }), {
      code: 'NOT_CONVERTIBLE',
      message: /two of its tools would be called "c"$/,
    })
  })

  test('whatever the file, there are tools or one error of ours', () => {
    const json = fc.oneof(
      fc.json({ maxDepth: 4 }),
      anyText(),
      fc
        .record({
          tools: fc.array(
            fc.object({
              key: fc.constantFrom(
                'name',
                'command',
                'inputSchema',
                'schema',
                'annotations',
                'type',
                'function',
                '_meta',
              ),
              maxDepth: 3,
            }),
          ),
        })
        .map(value => JSON.stringify(value)),
      fc
        .array(
          fc.record({
            type: fc.constant('function'),
            function: fc.object({ key: fc.constantFrom('name', 'parameters', 'description', 'strict') }),
          }),
        )
        .map(value => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(
        json,
        fc.constantFrom(undefined, ...IMPORTERS.map(({ format }) => format)),
        (text, from) => {
          try {
            const { tools } = imported(text, { ...RUN, from })
            for (const { tool } of tools) assert.ok(tool.id.trim() !== '' && tool.description.trim() !== '')
          } catch (error) {
            assert.ok(error instanceof RlpError, String(error))
            assert.ok(['NOT_CONVERTIBLE', 'WRONG_FILE_TYPE'].includes(error.code) && error.code in ERRORS)
          }
        },
      ),
      { numRuns: runs(500), seed: 20261121 },
    )
  })
})

describe('Agent Tool', () => {
  const INTERFACE = {
    schema_version: '0.2.0',
    interface_id: 'i',
    tool_id: 'note.find',
    description: 'Finds notes.',
    model_input_schema: { type: 'object', properties: { words: { type: 'string' } } },
    output_schema: { type: 'array' },
  }
  const DECLARATION = {
    schema_version: '0.2.0',
    tool_id: 'note.find',
    namespace: 'note',
    name: 'find',
    description: 'Declared.',
    lifecycle: 'available',
    tool_kind: 'function',
  }
  const tools = (...records: readonly object[]) => {
    const { tools, changes } = imported(records, RUN)
    return { tools: tools.map(({ tool, facts }) => ({ tool, facts })), changes: told(changes) }
  }

  test('a record alone, a list, and an object that holds the list', () => {
    for (const document of [INTERFACE, [INTERFACE], { records: [INTERFACE] }]) {
      const { format, tools, changes } = imported(document, RUN)
      assert.deepEqual([format, changes.length, tools.length], ['agent-tool', 0, 1])
      const { id, description, inputSchema, resultSchema } = tools[0]?.tool ?? assert.fail()
      assert.deepEqual(
        [id, description, inputSchema, resultSchema, tools[0]?.facts],
        ['note.find', 'Finds notes.', INTERFACE.model_input_schema, INTERFACE.output_schema, {}],
      )
    }
  })

  test('how it is run has to be said', () => {
    assert.throws(() => imported([INTERFACE]), {
      code: 'USAGE',
      message: /does not say how its tools are run$/,
    })
  })

  test('what restricts is kept, wherever it is; a record grants nothing', () => {
    const { tools: found, changes } = tools(
      {
        ...INTERFACE,
        permission_profile_ref: 'p',
        execution_profile_ref: 'e',
        timeout_ms: 900,
        is_enabled: true,
        sandbox_profile: 'tight',
        required_credentials: ['runloop/mail/key'],
        capability_refs: ['time', 'exec:/bin/sh', 'net:evil.example'],
      },
      { ...DECLARATION, lifecycle: 'disabled', title: 'Find notes' },
      { schema_version: '0.2.0', permission_profile_id: 'p', risk_level: 'high', approval_required: true },
      { schema_version: '0.2.0', execution_profile_id: 'e', execution_kind: 'shell', timeout_ms: 500 },
    )
    const [{ tool, facts } = assert.fail()] = found
    assert.deepEqual([tool.requiresConfirmation, tool.capabilities, tool.secrets], [true, ['time'], []])
    assert.deepEqual(facts, {
      user_facing_name: 'Find notes',
      timeout_ms: 500,
      is_enabled: false,
      sandbox_profile: 'tight',
      required_credentials: ['runloop/mail/key'],
    })
    assert.deepEqual(changes, [
      'note.find lost capabilities: "exec:/bin/sh", "net:evil.example": how the tool is run here decides where it reaches',
      'note.find lost record: risk_level: an import keeps interfaces, and no other records',
    ])
  })

  test('a declaration alone is a tool, and 0.1 called its schema otherwise', () => {
    const { tools: found } = tools({
      ...DECLARATION,
      input_contract: { schema: { type: 'object', title: 'old' } },
    })
    assert.deepEqual(
      [found[0]?.tool.description, found[0]?.tool.inputSchema],
      ['Declared.', { type: 'object', title: 'old' }],
    )
  })

  test('records that lead to no tool are lost, and said to be', () => {
    const hook = { schema_version: '0.2.0', hook_id: 'h', hook_event: 'pre_tool_use' }
    assert.deepEqual(tools(INTERFACE, hook).changes, [
      '* lost record: records that lead to no tool are left out: hook',
    ])
  })

  test('what is exported comes back', () => {
    const tool = {
      ...PLAIN,
      tags: ['a'],
      budget: { usd: 1 },
      capabilities: ['time'],
      requiresConfirmation: true,
    }
    const there = exported([tool], 'agent-tool').document
    const [back] = imported(there, { run: { is: 'from', label: 'tools.json', tools: [tool] } }).tools
    assert.deepEqual(back?.tool, { ...tool, resultSchema: {} })
  })
})

describe('arguments that are not in properties', () => {
  const TEXT = { type: 'string' }
  const flat = (name: string) => ({
    name,
    description: 'x',
    inputSchema: { type: 'object', a: TEXT, b: TEXT },
  })
  const inputs = (tools: readonly { readonly tool: { readonly inputSchema: unknown } }[]) =>
    tools.map(({ tool }) => tool.inputSchema)
  const RIGHT = { type: 'object', properties: { a: TEXT, b: TEXT } }

  test('are said, and a loss: the schema stays as it is', () => {
    const { tools, changes } = imported({ tools: [flat('t')] }, RUN)
    assert.deepEqual(inputs(tools), [{ type: 'object', a: TEXT, b: TEXT }])
    assert.equal(
      told(changes)[0],
      't lost input_schema: "a" and "b" look like arguments, but are not in properties: they have no effect there; --fix moves them',
    )
  })

  test('are moved where the caller says so, and an export has them', () => {
    const { tools, changes } = imported({ tools: [flat('t')] }, { ...RUN, fix: true })
    assert.deepEqual(inputs(tools), [RIGHT])
    assert.equal(
      told(changes)[0],
      't inferred input_schema: "a" and "b" look like arguments, but are not in properties: --fix has moved them',
    )
    const document = exported([tools[0]?.tool ?? {}], 'openai').document as {
      function: { parameters: unknown }
    }[]
    assert.deepEqual(document[0]?.function.parameters, RIGHT)
  })

  test('of many tools are one message', () => {
    const list = { tools: ['p', 'q', 'r', 's', 't'].map(flat) }
    const lost = (fix: boolean) =>
      new Set(
        imported(list, { ...RUN, fix }).changes.flatMap(({ field, message }) =>
          field === 'input_schema' ? message : [],
        ),
      )
    assert.deepEqual(
      [...lost(false), ...lost(true)],
      [
        'arguments are beside properties, or keywords in it: they have no effect there; --fix moves them',
        'arguments are beside properties, or keywords in it: --fix has moved them',
      ],
    )
  })

  for (const [name, inputSchema, right] of [
    ['called title', { type: 'object', title: TEXT }, { type: 'object', properties: { title: TEXT } }],
    ['called type', { type: TEXT }, { type: 'object', properties: { type: TEXT } }],
    [
      'and required is',
      { type: 'object', properties: { a: TEXT, required: ['a'] } },
      { type: 'object', properties: { a: TEXT }, required: ['a'] },
    ],
  ] as const) {
    test(`${name}: refused with the way out, and right with it`, () => {
      const list = { tools: [{ name: 't', description: 'x', inputSchema }] }
      assert.throws(
        () => imported(list, RUN),
        (error: RlpError) =>
          error.code === 'NOT_CONVERTIBLE' &&
          /^Cannot import "tools.json": input_schema of "t": "(?:title|type|required)" /.test(
            error.message,
          ) &&
          error.hint === 'Add --fix, which moves them, or correct the file',
      )
      assert.deepEqual(inputs(imported(list, { ...RUN, fix: true }).tools), [right])
      const twice = { tools: [...list.tools, ...list.tools.map(tool => ({ ...tool, name: 'u' }))] }
      assert.throws(() => imported(twice, RUN), { hint: 'Add --fix, which moves them, or correct the file' })
    })
  }

  test('in the forms of other systems, and in results', () => {
    const schema = { type: 'object', a: TEXT }
    const openai = [{ type: 'function', function: { name: 't', parameters: schema } }]
    const agentcli = { tools: [{ name: 't', command: ['/t'], schema }] }
    const mcp = { tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema: schema }] }
    for (const document of [openai, agentcli, mcp]) {
      const isLost = (fix: boolean) =>
        imported(document, { ...(document === agentcli ? {} : RUN), fix }).changes.some(
          ({ what, message }) => what === 'lost' && message.startsWith('"a" looks like an argument'),
        )
      assert.deepEqual([isLost(false), isLost(true)], [true, false])
    }
  })
})

describe('the Messages API', () => {
  const tool = { name: 'a', description: 'x', input_schema: { type: 'object' } }

  test('a request, or its tools; what Anthropic runs is left out, and what has no place is lost', () => {
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const cached = { ...tool, name: 'b', type: 'custom', cache_control: {}, defer_loading: true }
    for (const document of [{ model: 'm', tools: [tool, search, cached] }, [tool, search, cached]]) {
      const { format, tools, changes } = imported(document, RUN)
      assert.equal(format, 'anthropic')
      assert.deepEqual(
        tools.map(({ tool, facts }) => [tool.id, tool.inputSchema, facts]),
        [
          ['a', { type: 'object' }, {}],
          ['b', { type: 'object' }, { should_defer: true }],
        ],
      )
      assert.deepEqual(
        told(changes).filter(line => / lost /.test(line)),
        [
          '* lost other: tools[1] is of the type "web_search_20250305", which only Anthropic can run: it is left out',
          'b lost other: cache_control: tools.json has no place for it',
        ],
      )
    }
  })
})

describe('Gemini', () => {
  test('declarations, whose schemas are written in the words of JSON Schema', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        when: { type: 'STRING', nullable: true, enum: ['now'] },
        list: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: '1' },
        either: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }] },
      },
    }
    const declared = [
      { name: 'a', description: 'x', parameters, response: { type: 'OBJECT' } },
      { name: 'b', parametersJsonSchema: { type: 'object' }, behavior: 'BLOCKING' },
    ]
    for (const document of [
      { functionDeclarations: declared },
      [{ function_declarations: declared }],
      { tools: [{ functionDeclarations: declared }, { googleSearch: {} }] },
    ]) {
      const { format, tools, changes } = imported(document, RUN)
      assert.equal(format, 'gemini')
      assert.deepEqual(
        tools.map(({ tool }) => [tool.id, tool.inputSchema, tool.resultSchema]),
        [
          [
            'a',
            {
              type: 'object',
              properties: {
                when: { type: ['string', 'null'], enum: ['now', null] },
                list: { type: 'array', items: { type: 'integer' }, minItems: 1 },
                either: { anyOf: [{ type: 'number' }, { type: 'boolean' }] },
              },
            },
            { type: 'object' },
          ],
          ['b', { type: 'object' }, {}],
        ],
      )
      assert.ok(told(changes).includes('b lost other: behavior: tools.json has no place for it'))
    }
  })
})

describe('documents that hold no tools are named', () => {
  for (const [document, message] of [
    [{ name: 'io.github.a/b', packages: [] }, /it is a server\.json, /],
    [
      { manifest_version: '0.3', name: 'a', server: {}, tools: [{ name: 'a' }] },
      /it is the manifest of an MCP bundle/,
    ],
    [{ mcpServers: { a: { command: 'a' } } }, /it is the settings of an MCP client, /],
    [{ openapi: '3.1.0', paths: {} }, /it is an OpenAPI document, /],
  ] as const) {
    test(message.source, () => {
      assert.throws(() => imported(document, RUN), { code: 'WRONG_FILE_TYPE', message })
    })
  }
})

describe('bad tools', () => {
  const good = { name: 'good', inputSchema: { type: 'object' } }
  const list = { tools: [{ inputSchema: {} }, good, { name: 'b' }, { name: '-c', inputSchema: {} }, good] }

  test('are named at once, with the way to the others', () => {
    assert.throws(() => imported(list, RUN), {
      code: 'NOT_CONVERTIBLE',
      message:
        'Cannot import "tools.json": 4 of its 5 tools cannot be imported: tools[0].name is missing; tools[2].inputSchema is missing; the name "-c" would be an option of the program; two of its tools would be called "good"',
      hint: 'Correct them; --only-good imports the other one',
    })
  })

  test('one alone is said as it is', () => {
    assert.throws(() => imported({ tools: [good, { name: 'b' }] }, RUN), {
      message: 'Cannot import "tools.json": tools[1].inputSchema is missing',
      hint: 'Correct it; --only-good imports the other one',
    })
  })

  test('are left out where the caller says so, and said to be lost', () => {
    const { tools, changes } = imported(list, { ...RUN, onlyGood: true })
    assert.deepEqual(
      tools.map(({ tool }) => tool.id),
      ['good'],
    )
    assert.deepEqual(
      told(changes).filter(line => /left out/.test(line)),
      [
        '* lost other: left out: tools[0].name is missing',
        'b lost other: left out: tools[2].inputSchema is missing',
        '-c lost other: left out: the name "-c" would be an option of the program',
        'good lost other: left out: two of its tools would be called "good"',
      ],
    )
    assert.throws(() => imported({ tools: [{ name: 'b' }] }, { ...RUN, from: 'mcp', onlyGood: true }), {
      message: /tools\[0\]\.inputSchema is missing$/,
    })
  })

  test('stop nothing where others are asked for by name', () => {
    const { tools } = imported({ tools: [good, { name: 'b' }] }, { ...RUN, only: ['good'] })
    assert.equal(tools.length, 1)
  })

  test('in every form', () => {
    const forms = [
      [{ type: 'function', function: { name: 'good' } }, { type: 'function' }],
      [
        { name: 'good', input_schema: {} },
        { name: 'b', input_schema: 1 },
      ],
      [{ functionDeclarations: [{ name: 'good' }, { name: 1 }] }],
    ]
    for (const document of forms) {
      assert.throws(() => imported(document, RUN), { code: 'NOT_CONVERTIBLE' })
      assert.equal(imported(document, { ...RUN, onlyGood: true }).tools.length, 1)
    }
  })
})
