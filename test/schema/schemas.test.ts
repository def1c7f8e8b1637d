// The published schemas: what they accept and refuse, and the words in which a document's author hears of it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { ShapeProblem } from '../../src/model/document.ts'
import { checkJsonSchema, checkShape, MAX_SHAPE_PROBLEMS, type ShapeKind } from '../../src/schema/check.ts'
import { ownSchemas } from '../../src/schema/generated/schemas.js'
import { type OwnSchema, ownErrors } from '../../src/schema/own-errors.ts'
import { sentenceFor as sentence } from '../../src/schema/problem-words.ts'
import { type Subschema, subschemasOf } from '../../src/schema/walk.ts'
import { quoteText, shortText } from '../../src/text/quote.ts'
import { TRANSPORTS } from '../../src/tools/transports/index.ts'
import { compiled } from '../support/compile.ts'
import { temporary } from '../support/folder.ts'
import { processorTime } from '../support/processor-time.ts'
import { among, runs } from '../support/runs.ts'

const ROOT = join(import.meta.dirname, '../..')
const SPEECH = { language: 'json', root: 'the document', ours: true } as const

const NAMES = ['manifest', 'policy', 'tools.v1', 'trust-policy'] as const
const schemas = Object.fromEntries(
  NAMES.map(name => [name, JSON.parse(readFileSync(join(ROOT, `schemas/${name}.schema.json`), 'utf8'))]),
) as Record<(typeof NAMES)[number], Record<string, unknown>>

/** `tools/0/transport key: message` */
function lines(problems: readonly ShapeProblem[]): string[] {
  return problems.map(
    ({ pointer, part, message }) => `${pointer.join('/')}${part === 'key' ? ' key' : ''}: ${message}`,
  )
}

describe('the schema files', () => {
  const ajv = new Ajv2020({
    strict: true,
    // A part of allOf speaks of properties and types that are stated beside it.
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    allowMatchingProperties: true,
    allErrors: true,
  })
  for (const schema of Object.values(schemas)) ajv.addSchema(schema)

  for (const [name, schema] of Object.entries(schemas)) {
    const subschemas = subschemasOf(schema) as (Subschema & { schema: Record<string, unknown> })[]
    // What is in `if` describes a question and no value; an element that is nothing but a $ref is described there.
    const described = subschemas.filter(
      ({ pointer, schema }) =>
        typeof schema === 'object' &&
        pointer.includes('properties') &&
        !pointer.includes('if') &&
        !pointer.includes('propertyNames') &&
        // What the rules of lint say too judges a value that is described elsewhere, or a schema, which JSON Schema describes.
        !pointer.includes('then') &&
        !['keywords', 'withoutDigest'].includes(String(pointer[1])) &&
        (pointer.at(-2) === 'properties' || Object.keys(schema).join() !== '$ref'),
    )

    test(`${name}: is a schema, and compiles in strict mode`, () => {
      assert.equal(ajv.validateSchema(schema), true)
      assert.deepEqual(checkJsonSchema(schema), [])
      assert.equal(schema['$schema'], 'https://json-schema.org/draft/2020-12/schema')
      assert.equal(schema['$id'], `urn:runloop:agent-bundle:schema:${name}`)
      assert.equal(typeof ajv.getSchema(String(schema['$id'])), 'function')
      assert.ok(subschemas.length > 20)
    })

    test(`${name}: every value has a title, a description and examples for an editor`, () => {
      assert.ok(described.length > 10)
      for (const { pointer, schema } of described) {
        const place = pointer.join('/')
        assert.match(String(schema['title']), /^[A-Za-z0-9].*[^.]$/, place)
        assert.match(String(schema['description']), /^\S.{3,}\.$/, place)
        assert.ok(Array.isArray(schema['examples']) && schema['examples'].length > 0, place)
      }
    })

    test(`${name}: every example and default is what it is an example of`, () => {
      for (const { pointer, schema: subschema } of subschemas) {
        if (typeof subschema !== 'object' || !('examples' in subschema || 'default' in subschema)) continue
        const validate = ajv.getSchema(
          `${schema['$id']}#${pointer.map(step => `/${encodeURIComponent(step)}`).join('')}`,
        )
        assert.equal(typeof validate, 'function', pointer.join('/'))
        const values = [...((subschema['examples'] as unknown[]) ?? [])]
        if ('default' in subschema) values.push(subschema['default'])
        for (const value of values)
          assert.equal(validate?.(value), true, `${pointer.join('/')} ${JSON.stringify(value)}`)
      }
    })

    if (name === 'trust-policy') continue
    test(`${name}: every pattern has words of its own`, () => {
      const judged = subschemasOf(ownSchemas[name as keyof typeof ownSchemas])
      assert.ok(judged.length > 20)
      for (const { schema } of judged as { schema: Record<string, unknown> }[]) {
        const { pattern } = schema
        if (typeof schema !== 'object' || typeof pattern !== 'string') continue
        const error = { keyword: 'pattern', params: { pattern }, data: '', instancePath: '', schema: pattern }
        assert.doesNotMatch(sentence({ ...error, parentSchema: schema }, ['key'], SPEECH), /must match/)
      }
    })
  }

  test('the transports of the schema are those of the registry', () => {
    const definitions = schemas['tools.v1']['$defs'] as Record<
      string,
      Record<string, Record<string, { enum?: unknown }>>
    >
    const kinds = TRANSPORTS.map(({ kind }) => kind)
    assert.deepEqual(definitions['transport']?.['properties']?.['kind']?.enum, kinds)
    for (const kind of kinds) assert.ok(definitions[kind], `$defs has no ${kind}`)
  })
})

describe('what is generated', () => {
  const output = join(ROOT, 'src/schema/generated/schemas.js')

  test('a second run finds nothing to do and says nothing', async () => {
    const script = await compiled("import './scripts/compile-schemas.ts'", temporary('schemas')('script'))
    const run = () => spawnSync(process.execPath, [script], { encoding: 'utf8' })
    const first = run()
    assert.deepEqual([first.status, first.stdout, first.stderr], [0, '', ''])
    const before = statSync(output).mtimeMs
    assert.equal(run().status, 0)
    assert.equal(statSync(output).mtimeMs, before)
  })

  test('no schema of ours has a keyword that our judge does not know', () => {
    const known = (
      '$id $schema $defs $ref title description examples default type enum const pattern maxLength minimum maximum ' +
      'exclusiveMinimum minItems maxItems uniqueItems items maxProperties required properties patternProperties additionalProperties allOf if then else'
    ).split(' ')
    for (const [name, schema] of Object.entries(ownSchemas)) {
      const nodes = subschemasOf(schema)
      assert.ok(nodes.length > 20, name)
      for (const { schema, pointer } of nodes) {
        if (schema === true) continue
        const place = `${name} ${pointer.join('/')}`
        if (schema === false) assert.equal(pointer.at(-1), 'additionalProperties', place)
        assert.deepEqual(
          Object.keys(schema).filter(word => !known.includes(word)),
          [],
          place,
        )
        const { $ref, uniqueItems, items, patternProperties, enum: values = [] } = schema as OwnSchema
        if ($ref !== undefined) assert.match($ref, /^#(?:\/\$defs\/[A-Za-z0-9]+)?$/, place)
        if (uniqueItems === true) assert.equal(items !== true && items?.type, 'string', place)
        assert.ok(
          Object.values(patternProperties ?? {}).every(value => value === true),
          place,
        )
        assert.ok(
          values.every(value => typeof value !== 'object'),
          place,
        )
      }
    }
  })
})

const TOOL = {
  id: 'mail.send',
  description: 'Send a mail.',
  transport: { kind: 'exec', command: '/usr/bin/mail' },
  input_schema: { type: 'object' },
  result_schema: true,
}
const HTTP = { kind: 'http', method: 'POST', url: 'https://api.mail.example/send' }
const AGENT = { name: 'mailer', version: '0.1.0', kind: 'wasm32-wasip1' }
const tool = (part: object) => ({ version: 1, tools: [{ ...TOOL, ...part }] })
const exec = (part: object) => tool({ transport: { ...TOOL.transport, ...part } })
const http = (part: object) => tool({ transport: { ...HTTP, ...part } })
const agent = (part: object) => ({ agent: { ...AGENT, ...part } })
const caps = (part: object) => ({ capabilities: part })

describe('our judge', () => {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allowMatchingProperties: true,
    allErrors: true,
  })
  const { 'tools.v1': tools, manifest, policy, meta } = ownSchemas
  const cases: [name: string, schema: OwnSchema, seeds: readonly unknown[]][] = [
    [
      'tools.v1',
      tools,
      [
        tool({}),
        http({ headers: { a: 'b' } }),
        tool({ budget: null, 'x-rlp': { env: ['A', 'B'], timeout_ms: 5 } }),
      ],
    ],
    [
      'manifest',
      manifest,
      [
        agent({ entry_wasm: { path: 'a', blake3: 'a'.repeat(64) } }),
        { agent: AGENT, artifacts: { files: { a: 'b'.repeat(64) } }, ports: { in: ['a'] } },
        { ...agent({}), lint: { suppress: [{ rule: 'a/b', reason: 'c', until: '2027-01-01' }] } },
      ],
    ],
    [
      'policy',
      policy,
      [caps({ net: { hosts: ['a'] }, fs: ['b'], time: true, exec: ['/a'] }), caps({ net: ['a'] })],
    ],
    [
      'meta',
      meta,
      [
        { type: ['object', 'null'], properties: { a: { enum: [1] } }, required: ['a'], $defs: { a: true } },
        { $id: 'a', $anchor: 'b', allOf: [{ type: 'string', maxLength: 3, pattern: 'a' }], multipleOf: 2 },
        { dependencies: { a: ['b'], b: {} }, prefixItems: [{}], dependentRequired: { a: ['b', 'c'] } },
      ],
    ],
  ]
  for (const [name, schema, seeds] of cases) {
    test(`${name}: finds what ajv finds, and nothing else`, () => {
      const validate = ajv.compile({ ...schema, $id: `test:${name}` })
      let right = 0
      let wrong = 0
      const part = fc.oneof(
        fc.constantFrom<unknown>(
          '',
          'a',
          'exec',
          'http',
          ' ',
          '/a',
          'x-a',
          '$schema',
          'A'.repeat(64),
          'string',
        ),
        fc.constantFrom<unknown>(
          0,
          1,
          -1,
          0.5,
          true,
          false,
          null,
          [],
          {},
          ['a', 'a'],
          [1],
          { a: 1 },
          [[]],
          ['b', 'c'],
        ),
      )
      const edit = fc.tuple(fc.nat(), part, fc.constantFrom('replace', 'remove', 'add', 'rename'))
      fc.assert(
        fc.property(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 4 }), (seed, edits) => {
          const value = edits.reduce<unknown>((value, [at, part, how]) => edited(value, at, part, how), seed)
          const words = (errors: Iterable<{ instancePath: string; keyword: string; params: object }>) =>
            [...errors]
              // These two say in a second error what the first has said.
              .filter(({ keyword }) => keyword !== 'if')
              .map(({ instancePath, keyword, params }) => {
                const { missingProperty = '', additionalProperty = '' } = params as Record<string, unknown>
                return [instancePath, keyword, missingProperty, additionalProperty].join(' ')
              })
              .sort()
          const isRight = validate(value)
          if (isRight) right++
          else wrong++
          const found = ownErrors(value, schema, schema, 1000)
          assert.deepEqual(words(found), words(validate.errors ?? []))
          assert.deepEqual(ownErrors(value, schema, schema, 1), found.slice(0, 1))
        }),
        { numRuns: runs(500) },
      )
      assert.ok(right > among(20, 500) && wrong > among(100, 500), `${right} right, ${wrong} wrong`)
    })
  }

  /** A copy with the value at one of its places changed. */
  function edited(value: unknown, at: number, part: unknown, how: string): unknown {
    const copy: Record<string, unknown> = structuredClone({ value })
    const places: [holder: Record<string, unknown>, key: string][] = []
    const visit = (holder: Record<string, unknown>): void => {
      for (const key of Object.keys(holder)) {
        places.push([holder, key])
        const child = holder[key]
        if (typeof child === 'object' && child !== null) visit(child as Record<string, unknown>)
      }
    }
    visit(copy)
    const [holder, key]: (typeof places)[number] = places[at % places.length] ?? [copy, 'value']
    const name = typeof part === 'string' && part !== '' ? part : 'a'
    if (how === 'add' || how === 'rename') {
      const inner = holder[key]
      if (Array.isArray(inner)) inner.push(part)
      else if (typeof inner === 'object' && inner !== null) (inner as Record<string, unknown>)[name] = part
      if (how === 'add' || holder === copy || Array.isArray(holder)) return copy['value']
      holder[name] = inner
    }
    if (how === 'replace') holder[key] = part
    else if (Array.isArray(holder)) holder.splice(Number(key), 1)
    else if (holder !== copy) delete holder[key]
    return copy['value']
  }
})

describe('documents that are in order', () => {
  const good: [name: string, kind: ShapeKind, value: unknown][] = [
    ['no tools', 'toolsV1', { version: 1 }],
    ['an exec tool', 'toolsV1', tool({})],
    ['an http tool', 'toolsV1', http({ headers: { Authorization: 'Bearer {{secret:a/b/c}}' } })],
    [
      'a transport for each method',
      'toolsV1',
      {
        version: 1,
        tools: ['GET', 'HEAD', 'OPTIONS', 'PURGE'].map(method => ({
          ...TOOL,
          transport: { ...HTTP, method },
        })),
      },
    ],
    ['what the existing writer leaves empty', 'toolsV1', tool({ budget: null, observability: null })],
    ['a budget without limits', 'toolsV1', tool({ budget: { tokens: null, usd: null } })],
    [
      'everything at once',
      'toolsV1',
      tool({
        schema_refs: { 'a.v1': { type: 'string' }, 'b.v1': false, c: 'c.v1', d: 'schema:d.v1' },
        capabilities: ['net:api.mail.example'],
        secrets: ['runloop/mail/key'],
        budget: { tokens: 0, usd: 0.5 },
        requires_confirmation: true,
        observability: { tags: ['external'] },
        'x-rlp': { stdin: true, timeout_ms: 3_600_000, env: ['TZ', '_A1'] },
      }),
    ],
    [
      '$schema and own keys everywhere',
      'toolsV1',
      {
        $schema: '../schemas/tools.v1.schema.json',
        'x-a': 1,
        version: 1,
        tools: [
          {
            ...TOOL,
            $schema: 's',
            'x-a': null,
            transport: { ...HTTP, $schema: 's', 'x-a': [] },
            budget: { 'x-a': 1, $schema: 1 },
            observability: { 'x-a': 1 },
          },
        ],
      },
    ],
    ['the smallest manifest', 'manifest', { agent: AGENT }],
    [
      'unknown tables and keys',
      'manifest',
      {
        ...agent({ author: 'x', entry_wasm: { path: 'a', licence: 'MIT' } }),
        own: { born: null, list: [1] },
      },
    ],
    [
      'an entry at top level',
      'manifest',
      { agent: AGENT, entry_native: { path: 'bin/a', blake3: 'A'.repeat(64) } },
    ],
    ['versions after SemVer', 'manifest', agent({ version: '1.0.0-alpha.0b.1+build.007' })],
    ['a policy without grants', 'policy', { capabilities: {} }],
    [
      'every grant',
      'policy',
      caps({
        fs: ['~/a'],
        fs_ro: ['/a'],
        fs_rw: ['/b'],
        net: ['a.example:8443'],
        time: true,
        kb_read: true,
        kb_write: ['drafts'],
        secrets: ['a'],
        model: false,
        exec: ['/usr/bin/jq'],
      }),
    ],
    ['net as a table', 'policy', caps({ net: { hosts: ['a.example'], allow_http: true } })],
    ['an unknown family', 'policy', { ...caps({ camera: true }), other: 1 }],
  ]
  for (const [name, kind, value] of good) {
    test(`${kind}: ${name}`, () => assert.deepEqual(lines(checkShape(kind, value)), []))
  }
})

describe('documents that are not', () => {
  const bad: [kind: ShapeKind, value: unknown, ...problems: string[]][] = [
    ['toolsV1', [], ': tools.json must be an object, found an array'],
    ['toolsV1', null, ': tools.json must be an object, found null'],
    ['toolsV1', {}, ': "version" is missing'],
    ['toolsV1', { version: '1' }, 'version: version must be the integer 1, found "1"'],
    ['toolsV1', { version: 2 }, 'version: version must be the integer 1, found 2'],
    ['toolsV1', { version: 1, tools: null }, 'tools: tools must be an array, found null'],
    ['toolsV1', { version: 1, tool: [] }, 'tool key: "tool" is not a key of tools.json'],
    ['toolsV1', { version: 1, tools: [TOOL, 'x'] }, 'tools/1: tools[1] must be an object, found a string'],
    [
      'toolsV1',
      { version: 1, tools: [{}] },
      'tools/0: "id" is missing',
      'tools/0: "description" is missing',
      'tools/0: "transport" is missing',
      'tools/0: "input_schema" is missing',
      'tools/0: "result_schema" is missing',
    ],
    ['toolsV1', tool({ id: ' \t' }), 'tools/0/id: id must not be blank'],
    [
      'toolsV1',
      tool({ description: 5 }),
      'tools/0/description: description must be a string, found a number',
    ],
    ['toolsV1', tool({ inputSchema: {} }), 'tools/0/inputSchema key: "inputSchema" is not a key of a tool'],
    [
      'toolsV1',
      tool({ result_schema: 'string' }),
      'tools/0/result_schema: result_schema must be an object, true or false, found a string',
    ],
    [
      'toolsV1',
      tool({ schema_refs: [] }),
      'tools/0/schema_refs: schema_refs must be an object, found an array',
    ],
    [
      'toolsV1',
      tool({ schema_refs: { 'a/b': 1 } }),
      'tools/0/schema_refs/a/b: a/b must be an object, a string, true or false, found a number',
    ],
    [
      'toolsV1',
      tool({ schema_refs: { a: '../b' } }),
      'tools/0/schema_refs/a: a must be the id of a schema, such as mail.address.v1, found "../b"',
    ],
    [
      'toolsV1',
      tool({ capabilities: 'net:x' }),
      'tools/0/capabilities: capabilities must be an array of strings, found a string',
    ],
    ['toolsV1', tool({ secrets: ['a', null] }), 'tools/0/secrets/1: secrets[1] must be a string, found null'],
    [
      'toolsV1',
      tool({ requires_confirmation: null }),
      'tools/0/requires_confirmation: requires_confirmation must be true or false, found null',
    ],
    [
      'toolsV1',
      tool({ budget: { tokens: 1.5, usd: -1, euro: 1 } }),
      'tools/0/budget/tokens: tokens must be a whole number or null, found 1.5',
      'tools/0/budget/usd: usd must be at least 0, found -1',
      'tools/0/budget/euro key: "euro" is not a key of a budget',
    ],
    [
      'toolsV1',
      tool({ observability: { tags: [1] } }),
      'tools/0/observability/tags/0: tags[0] must be a string, found a number',
    ],
    [
      'toolsV1',
      tool({ 'x-rlp': { timeout: 5, 'x-own': 1, timeout_ms: -1, stdin: 'yes' } }),
      'tools/0/x-rlp/timeout key: "timeout" is not a key of an x-rlp block',
      'tools/0/x-rlp/x-own key: "x-own" is not a key of an x-rlp block',
      'tools/0/x-rlp/timeout_ms: timeout_ms must be at least 0, found -1',
      'tools/0/x-rlp/stdin: stdin must be true or false, found a string',
    ],
    [
      'toolsV1',
      tool({ 'x-rlp': { timeout_ms: 3_600_001, env: ['A', 'b', 'A'] } }),
      'tools/0/x-rlp/timeout_ms: timeout_ms must be at most 3600000, found 3600001',
      'tools/0/x-rlp/env/1: env[1] must be capital letters, digits and underscores that do not begin with a digit, found "b"',
      'tools/0/x-rlp/env: env[2] repeats env[0]',
    ],
    // One mistake in a transport is one problem, at the place of the mistake.
    [
      'toolsV1',
      tool({ transport: 'exec' }),
      'tools/0/transport: transport must be an object, found a string',
    ],
    ['toolsV1', tool({ transport: { command: '/x' } }), 'tools/0/transport key: "kind" is missing'],
    [
      'toolsV1',
      tool({ transport: { kind: 'exce', comand: 1, url: 2 } }),
      'tools/0/transport/kind: kind must be "exec" or "http", found "exce"',
    ],
    [
      'toolsV1',
      tool({ transport: { kind: 5 } }),
      'tools/0/transport/kind: kind must be "exec" or "http", found 5',
    ],
    [
      'toolsV1',
      exec({ timeout: 5 }),
      'tools/0/transport/timeout key: "timeout" is not a key of an exec transport',
    ],
    ['toolsV1', exec({ command: '' }), 'tools/0/transport/command: command must not be blank'],
    [
      'toolsV1',
      exec({ args: ['-c', 1] }),
      'tools/0/transport/args/1: args[1] must be a string, found a number',
    ],
    [
      'toolsV1',
      tool({ transport: { kind: 'http' } }),
      'tools/0/transport key: "method" is missing',
      'tools/0/transport key: "url" is missing',
    ],
    [
      'toolsV1',
      http({ command: '/x' }),
      'tools/0/transport/command key: "command" is not a key of an http transport',
    ],
    [
      'toolsV1',
      http({ method: 'get' }),
      'tools/0/transport/method: method must be a method in capital letters, found "get"',
    ],
    [
      'toolsV1',
      http({ headers: { a: 1 } }),
      'tools/0/transport/headers/a: a must be a string, found a number',
    ],
    ['manifest', {}, ': "agent" is missing'],
    [
      'manifest',
      { agent: {} },
      'agent key: "name" is missing',
      'agent key: "version" is missing',
      'agent key: "kind" is missing',
    ],
    ['manifest', { agent: null }, 'agent: agent must be a table, found a date'],
    [
      'manifest',
      agent({ name: 'Mailer' }),
      'agent/name: name must be lower-case letters, digits and underscores that begin with a letter, found "Mailer"',
    ],
    ['manifest', agent({ name: null }), 'agent/name: name must be a string, found a date'],
    [
      'manifest',
      agent({ version: '1' }),
      'agent/version: version must be a version such as 1.2.3 or 1.0.0-rc.1, found "1"',
    ],
    [
      'manifest',
      agent({ version: '01.0.0' }),
      'agent/version: version must be a version such as 1.2.3 or 1.0.0-rc.1, found "01.0.0"',
    ],
    [
      'manifest',
      agent({ version: `1.0.0-${'a'.repeat(251)}` }),
      'agent/version: version must have at most 256 characters, found 257',
    ],
    [
      'manifest',
      agent({ variant: '-pro' }),
      'agent/variant: variant must be lower-case letters, digits, "_" and "-" that begin with a letter or digit, found "-pro"',
    ],
    [
      'manifest',
      agent({ kind: 'wasm' }),
      'agent/kind: kind must be "wasm32-wasip1" or "native-shim", found "wasm"',
    ],
    [
      'manifest',
      agent({ entry_wasm: 'bin/a.wasm' }),
      'agent/entry_wasm: entry_wasm must be a table, found a string',
    ],
    [
      'manifest',
      { agent: AGENT, entry_native: { path: '', blake3: 'abcdef' } },
      'entry_native/path: path must not be blank',
      'entry_native/blake3: blake3 must be 64 hex digits, found "abcdef"',
    ],
    [
      'manifest',
      { agent: AGENT, ports: { in: 'a', out: [1] } },
      'ports/in: in must be an array of strings, found a string',
      'ports/out/0: out[0] must be a string, found a number',
    ],
    ['manifest', { agent: AGENT, caps: { file: 1 } }, 'caps/file: file must be a string, found a number'],
    [
      'manifest',
      { agent: AGENT, artifacts: { files: { 'README.md': 'x' }, tools: { version: '1' }, policy: [] } },
      'artifacts/files/README.md: README.md must be 64 hex digits, found "x"',
      'artifacts/tools/version: version must be a whole number, found a string',
      'artifacts/policy: policy must be a table, found an array',
    ],
    ['manifest', { agent: AGENT, schemas: { with: true } }, 'schemas/with: with must be a table, found true'],
    ['policy', {}, ': "capabilities" is missing'],
    ['policy', { capabilities: 5 }, 'capabilities: capabilities must be a table, found a number'],
    ['policy', { capabilities: null }, 'capabilities: capabilities must be a table, found a date'],
    ['policy', caps({ fs: '/a' }), 'capabilities/fs: fs must be an array of strings, found a string'],
    [
      'policy',
      caps({ net: true }),
      'capabilities/net: net must be an array of strings or a table, found true',
    ],
    ['policy', caps({ net: [''] }), 'capabilities/net/0: net[0] must not be blank'],
    [
      'policy',
      caps({ net: { host: [], hosts: [1], allow_http: 1 } }),
      'capabilities/net/host key: "host" is not a key of a network grant',
      'capabilities/net/hosts/0: hosts[0] must be a string, found a number',
      'capabilities/net/allow_http: allow_http must be true or false, found a number',
    ],
    [
      'policy',
      caps({ time: 'yes', model: 1 }),
      'capabilities/time: time must be true or false, found a string',
      'capabilities/model: model must be true or false, found a number',
    ],
    [
      'policy',
      caps({ kb_read: 'contacts' }),
      'capabilities/kb_read: kb_read must be an array of strings, true or false, found a string',
    ],
    ['policy', caps({ exec: ['jq'] }), 'capabilities/exec/0: exec[0] must be an absolute path, found "jq"'],
  ]
  for (const [kind, value, ...problems] of bad) {
    test(`${kind}: ${problems[0]}`, () => assert.deepEqual(lines(checkShape(kind, value)), problems))
  }
})

describe('the fix', () => {
  const fixes: [kind: ShapeKind, value: unknown, fix: string][] = [
    ['toolsV1', { version: 2 }, 'Write 1'],
    [
      'toolsV1',
      tool({ transport: undefined }),
      'Add it, for example "transport": { "kind": "exec", "command": "/usr/bin/jq" }',
    ],
    ['toolsV1', tool({ transport: { kind: 'exce' } }), 'Write "exec"'],
    ['toolsV1', tool({ transport: { kind: 'socket' } }), 'Write "exec" or "http"'],
    ['toolsV1', tool({ 'x-rlp': { timeout: 1 } }), 'Replace it with "timeout_ms": 1000 if you mean seconds'],
    ['toolsV1', tool({ schemaRefs: {} }), 'Did you mean "schema_refs"? If not, remove it'],
    ['toolsV1', exec({ shell: true }), 'Remove it: no shell reads the command'],
    ['toolsV1', tool({ 'x-rlp': { shell: 1 } }), 'Remove it; known here: stdin, timeout_ms, memory_mb, env'],
    ['toolsV1', tool({ secrets: 'a' }), 'Write ["a"]'],
    ['toolsV1', { version: 1, tools: [1] }, 'Write an object'],
    ['manifest', agent({ name: '' }), 'For example name = "mailer"'],
    ['manifest', agent({ entry_wasm: { blake3: 'x' } }), 'Run rlp agent digest'],
    ['policy', caps({ net: 1 }), 'For example net = ["api.mail.example:443"]'],
    // Neither of the two is suggested: one of them grants.
    ['policy', caps({ time: 'yes' }), 'Write true or false'],
  ]
  for (const [kind, value, fix] of fixes) {
    test(`${kind}: ${fix}`, () =>
      assert.equal(checkShape(kind, JSON.parse(JSON.stringify(value)))[0]?.fix, fix))
  }
})

describe('hostile documents', () => {
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index))
  const table = (count: number, value: unknown) =>
    Object.fromEntries(many(count, index => [`k${index}`, value]))
  const last = (problems: readonly ShapeProblem[]) => problems.at(-1)?.message

  test('ten thousand broken tools are a hundred problems and a number', () => {
    const problems = checkShape('toolsV1', { version: 1, tools: many(10_000, () => ({})) })
    assert.equal(problems.length, MAX_SHAPE_PROBLEMS + 1)
    assert.deepEqual(lines(problems.slice(99)), [
      'tools/19: "result_schema" is missing',
      ': At least 9980 more problems are not listed',
    ])
    assert.equal(problems.at(-1)?.keyword, 'limit')
  })

  test('fewer errors are counted to the last one', () => {
    const files = (count: number) => ({ agent: AGENT, artifacts: { files: table(count, 'x') } })
    assert.equal(checkShape('manifest', files(MAX_SHAPE_PROBLEMS)).length, MAX_SHAPE_PROBLEMS)
    const more = checkShape('manifest', files(MAX_SHAPE_PROBLEMS + 1))
    assert.equal(more.length, MAX_SHAPE_PROBLEMS + 1)
    assert.equal(last(more), '1 more problem is not listed')
    assert.equal(last(checkShape('manifest', files(1000))), '900 more problems are not listed')
  })

  const large: [name: string, kind: ShapeKind, value: unknown, first: string][] = [
    [
      'a long list in one tool',
      'toolsV1',
      tool({ capabilities: many(50_000, () => 1) }),
      'tools/0/capabilities: capabilities must have at most 10000 entries, found 50000',
    ],
    [
      'many unknown keys',
      'toolsV1',
      { version: 1, ...table(20_000, 1) },
      'k0 key: "k0" is not a key of tools.json',
    ],
    [
      'many bad digests',
      'manifest',
      { agent: AGENT, artifacts: { files: table(20_000, 'x') } },
      'artifacts/files/k0: k0 must be 64 hex digits, found "x"',
    ],
    [
      'many bad hosts',
      'policy',
      caps({ net: many(20_000, () => 1) }),
      'capabilities/net/0: net[0] must be a string, found a number',
    ],
  ]
  for (const [name, kind, value, first] of large) {
    test(`${name}: as many problems as are listed, and a word about the rest`, () => {
      const problems = checkShape(kind, value)
      assert.equal(problems.length, MAX_SHAPE_PROBLEMS + 1)
      assert.deepEqual(lines([...problems.slice(0, 1), ...problems.slice(-1)]), [
        first,
        ': At least 9900 more problems are not listed',
      ])
    })
  }

  test('large documents that are in order have no problem', () => {
    assert.deepEqual(checkShape('toolsV1', { version: 1, tools: many(10_000, () => TOOL) }), [])
    assert.deepEqual(
      checkShape('toolsV1', tool({ 'x-rlp': { env: many(10_000, index => `A${index}`) } })),
      [],
    )
  })

  test('patterns are judged in linear time', () => {
    const start = processorTime()
    for (const tail of ['0.'.repeat(1e6), '0'.repeat(1e6), 'a1-'.repeat(1e6), '00'.repeat(1e6)]) {
      assert.equal(checkShape('manifest', agent({ version: `1.0.0-${tail}!` })).length, 1)
    }
    assert.equal(checkShape('manifest', agent({ name: `${'a'.repeat(1e6)}-` })).length, 1)
    assert.ok(processorTime() - start < 3000)
  })

  test('text of the document is short and harmless in messages', () => {
    const evil = 'a\u001b[31m\u202eb\u0000\n\u2066\ud800"\u{e0041}'
    const shown = String.raw`"a\u001b[31m\u202eb\u0000\n\u2066\ud800\"\udb40\udc41"`
    const [unknown] = checkShape('toolsV1', tool({ [evil]: 1 }))
    assert.equal(unknown?.message, `${shown} is not a key of a tool`)
    assert.deepEqual(unknown?.pointer, ['tools', 0, evil])
    const [kind] = checkShape('toolsV1', tool({ transport: { kind: evil } }))
    assert.equal(kind?.message, `kind must be "exec" or "http", found ${shown}`)
    const [header] = checkShape('toolsV1', http({ headers: { [evil]: {} } }))
    assert.equal(header?.message, `${shown} must be a string, found an object`)
    assert.ok(String(header?.fix).startsWith(`For example ${shown}: "`))
    const [long] = checkShape('manifest', agent({ name: 'x'.repeat(5000).toUpperCase() }))
    assert.ok(String(long?.message).endsWith(`found "${'X'.repeat(60)}…"`))
  })

  test('shortening keeps whole characters', () => {
    assert.equal(shortText('é'.repeat(60)), 'é'.repeat(60))
    assert.equal(shortText('é'.repeat(61)), `${'é'.repeat(60)}…`)
    assert.equal(shortText('😀'.repeat(1000)), `${'😀'.repeat(60)}…`)
    assert.equal(shortText(`${'\u200b'.repeat(1000)}a`), `${'\\u200b'.repeat(60)}…`)
    assert.equal(shortText('a\u0000\u001b[2J\u202e\u{e0041}'), 'a\\u0000\\u001b[2J\\u202e\\udb40\\udc41')
    assert.equal(quoteText('a\u0000"\u009b\u202e\n'), '"a\\u0000\\"\\u009b\\u202e\\n"')
    assert.equal(JSON.parse(quoteText('a\u0000"\u009b\u202e\n')), 'a\u0000"\u009b\u202e\n', 'equal when read')
  })

  test('keys with the names of built-in members are ordinary keys', () => {
    assert.deepEqual(lines(checkShape('toolsV1', JSON.parse('{"version":1,"constructor":1}'))), [
      'constructor key: "constructor" is not a key of tools.json',
    ])
    assert.deepEqual(
      lines(checkShape('toolsV1', tool({ schema_refs: { toString: true, hasOwnProperty: {} } }))),
      [],
    )
    assert.deepEqual(lines(checkShape('toolsV1', Object.assign(Object.create(null), { version: 1 }))), [])
  })
})
