// rlp agent diff: what changed, what breaks whom, and what has to hold for any two agents and any two schemas.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { read } from '../../src/agent/read-agent.ts'
import { diffAgents, isSame, schemaChange } from '../../src/inspect/diff.ts'
import type { SchemaSide } from '../../src/schema/cover.ts'
import { agentTree, type Tree, WASM } from '../support/agent.ts'
import { toolArbitrary } from '../support/arbitrary-caps.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { memoryFiles } from '../support/memory.ts'
import { among, runs } from '../support/runs.ts'

const SEND = {
  id: 'mail.send',
  description: 'Sends.',
  transport: { kind: 'http', method: 'POST', url: 'https://a.example/send' },
  input_schema: { type: 'object', properties: { to: { type: 'string' } }, additionalProperties: false },
  result_schema: true,
  requires_confirmation: true,
}
const RUN = {
  id: 'text.run',
  description: 'Runs.',
  transport: { kind: 'exec', command: '/bin/x' },
  input_schema: true,
  result_schema: true,
}
const document = (...tools: readonly object[]) => JSON.stringify({ version: 1, tools })
const agent = (files: Tree = {}, facts: { version?: string } = {}) =>
  read(memoryFiles(agentTree({ ...facts, files })), 'mini')
const withTools = (...tools: readonly object[]) => agent({ 'tools.json': document(...tools) })

describe('tools', () => {
  const change = (...after: readonly object[]) => {
    const { tools, isReordered } = diffAgents(withTools(SEND, RUN), withTools(...after))
    const said = tools.map(({ id, change, isBreaking, to, fields }) =>
      [change, id, to, ...fields.map(({ field }) => field), isBreaking ? 'breaking' : '']
        .filter(Boolean)
        .join(' '),
    )
    return [...said, ...(isReordered ? ['reordered'] : [])]
  }
  const cases: readonly (readonly [what: string, after: readonly object[], said: readonly string[]])[] = [
    ['nothing', [SEND, RUN], []],
    ['another order', [RUN, SEND], ['reordered']],
    ['a new tool before them', [{ ...RUN, id: 'new' }, SEND, RUN], ['added new']],
    ['one gone', [SEND], ['removed text.run breaking']],
    ['another id', [SEND, { ...RUN, id: 'text.go' }], ['renamed text.run text.go breaking']],
    [
      'another id, and something else',
      [SEND, { ...RUN, id: 'text.go', description: 'Goes.' }],
      ['removed text.run breaking', 'added text.go'],
    ],
    [
      'two that could be the one',
      [SEND, { ...RUN, id: 'a' }, { ...RUN, id: 'b' }],
      ['removed text.run breaking', 'added a', 'added b'],
    ],
    ['a description', [{ ...SEND, description: 'Mails.' }, RUN], ['changed mail.send description']],
    [
      'a url and a confirmation',
      [
        {
          ...SEND,
          transport: { ...SEND.transport, url: 'https://b.example/' },
          requires_confirmation: false,
        },
        RUN,
      ],
      ['changed mail.send transport.url requires_confirmation'],
    ],
    [
      'another kind',
      [SEND, { ...RUN, transport: SEND.transport }],
      [
        'changed text.run transport.kind transport.command transport.args transport.method transport.url transport.headers',
      ],
    ],
    [
      'our extension',
      [SEND, { ...RUN, 'x-rlp': { stdin: true, env: ['TZ'] } }],
      ['changed text.run x-rlp.stdin x-rlp.env'],
    ],
  ]
  for (const [what, after, said] of cases) test(what, () => assert.deepEqual(change(...after), said))
})

describe('schemas', () => {
  const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
  const TEXT = { type: 'string' }
  const CLOSED = { additionalProperties: false }
  const cases: readonly (readonly [
    what: string,
    before: unknown,
    after: unknown,
    input: string,
    result: string,
  ])[] = [
    ['nothing', object({ a: TEXT }), object({ a: TEXT }), 'same', 'same'],
    [
      'keys in another order',
      { type: 'object', required: [] },
      { required: [], type: 'object' },
      'same',
      'same',
    ],
    ['a title', object({ a: TEXT }), object({ a: TEXT }, { title: 'A' }), 'compatible', 'compatible'],
    [
      'a new required property',
      object({ a: TEXT }),
      object({ a: TEXT }, { required: ['a'] }),
      'breaking',
      'compatible',
    ],
    [
      'an optional property more, closed',
      object({}, CLOSED),
      object({ a: TEXT }, CLOSED),
      'compatible',
      'breaking',
    ],
    ['an optional property more, open', object({}), object({ a: TEXT }), 'not decided', 'compatible'],
    ['an enum with less', { enum: ['a', 'b'] }, { enum: ['a'] }, 'breaking', 'compatible'],
    ['an enum where none was', TEXT, { ...TEXT, enum: ['a'] }, 'breaking', 'compatible'],
    ['an enum of objects', { enum: [{ a: 1 }] }, { enum: [{ a: 2 }] }, 'not decided', 'not decided'],
    ['another type', object({ a: TEXT }), object({ a: { type: 'number' } }), 'breaking', 'breaking'],
    ['one type more', TEXT, { type: ['string', 'null'] }, 'compatible', 'breaking'],
    ['integer to number', { type: 'integer' }, { type: 'number' }, 'compatible', 'breaking'],
    [
      'items of another type',
      { type: 'array', items: TEXT },
      { type: 'array', items: { type: 'null' } },
      'breaking',
      'breaking',
    ],
    ['closed', object({}), object({}, CLOSED), 'breaking', 'compatible'],
    ['a pattern', { ...TEXT, pattern: 'a' }, { ...TEXT, pattern: 'b' }, 'not decided', 'not decided'],
    [
      'a type beside a pattern',
      { ...TEXT, pattern: 'a' },
      { type: 'null', pattern: 'a' },
      'not decided',
      'not decided',
    ],
    ['everything to nothing', true, false, 'breaking', 'compatible'],
    [
      'a required property that nothing can be',
      object({ a: false }, { required: ['a'] }),
      { type: 'null' },
      'not decided',
      'breaking',
    ],
    [
      // What ^a says of it counts in both: it is not true that the old one took nothing under this name.
      'a property beside patterns',
      object({}, { patternProperties: { '^a': TEXT }, ...CLOSED }),
      object({ ab: { type: 'null' } }, { patternProperties: { '^a': TEXT }, ...CLOSED }),
      'not decided',
      'not decided',
    ],
    [
      'a definition that a property is',
      object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: TEXT } }),
      object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'null' } } }),
      'not decided',
      'not decided',
    ],
  ]
  const resolve = () => undefined
  const judged = (before: unknown, after: unknown, side: SchemaSide) =>
    schemaChange(
      { schema: before, path: 'tools.json', resolve },
      { schema: after, path: 'tools.json', resolve },
      { side, areFilesSame: true },
    )?.is ?? 'same'
  for (const [what, before, after, input, result] of cases) {
    test(what, () => {
      assert.deepEqual([judged(before, after, 'input'), judged(before, after, 'result')], [input, result])
    })
  }

  test('a file that a schema is, and one that it only refers to', () => {
    const tool = { ...RUN, input_schema: { $ref: 'schema:in.v1' } }
    const at = (type: string, other = 'a') =>
      agent({
        'tools.json': document(tool),
        'schemas/in.v1.json': JSON.stringify({ type }),
        'schemas/other.v1.json': JSON.stringify({ title: other }),
      })
    const said = (before: ReturnType<typeof at>, after: ReturnType<typeof at>) =>
      diffAgents(before, after).schemas.map(({ tool, side, is }) => `${tool} ${side} ${is}`)
    assert.deepEqual(said(at('integer'), at('integer', 'b')), [])
    assert.deepEqual(said(at('integer'), at('number')), ['text.run input compatible'])
    assert.deepEqual(said(at('string'), at('number')), ['text.run input breaking'])
  })

  test('compatible means that no value is lost; what only takes more is never breaking', () => {
    const scalar = fc.constantFrom<unknown>(null, true, 0, 1.5, 'a', 'b')
    const name = fc.constantFrom('a', 'b', 'c')
    const { schema } = fc.letrec<{ schema: unknown }>(tie => ({
      schema: fc.oneof(
        { maxDepth: 2, depthSize: 'small' },
        fc.boolean(),
        fc.record(
          {
            type: fc.oneof(
              fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string'),
              fc.uniqueArray(fc.constantFrom('null', 'object', 'array', 'number', 'string'), {
                minLength: 1,
                maxLength: 2,
              }),
            ),
            properties: fc.dictionary(name, tie('schema'), { maxKeys: 2 }),
            required: fc.uniqueArray(name, { maxLength: 2 }),
            additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
            items: tie('schema'),
            enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
            const: scalar,
            patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('schema'), { maxKeys: 1 }),
            not: tie('schema'),
            minProperties: fc.constantFrom(0, 1, 2),
          },
          { requiredKeys: [] },
        ),
      ),
    }))
    const { value } = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof(
        { maxDepth: 2, depthSize: 'small' },
        scalar,
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 3 }),
      ),
    }))
    const ajv = new Ajv2020({ strict: false, logger: false, code: { optimize: false } })
    // Without them a schema takes at least what it took.
    const LAXER = new Set([
      'type',
      'required',
      'enum',
      'const',
      'additionalProperties',
      'items',
      'not',
      'minProperties',
    ])
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(schema, schema, fc.array(value, { minLength: 10, maxLength: 20 }), (a, b, values) => {
        const is = judged(a, b, 'input')
        seen.set(is, (seen.get(is) ?? 0) + 1)
        if (typeof a === 'object' && a !== null) {
          const laxer = Object.fromEntries(
            Object.entries(a).filter(([key], at) => !LAXER.has(key) || at % 2 === 0),
          )
          assert.notEqual(judged(a, laxer, 'input'), 'breaking')
          assert.notEqual(judged(laxer, a, 'result'), 'breaking')
        }
        if (is !== 'same' && is !== 'compatible') return
        const [takesA, takesB] = [a, b].map(one => ajv.compile(one as object))
        for (const one of values) assert.ok(!takesA?.(one) || takesB?.(one), `${JSON.stringify(one)} is lost`)
      }),
      { numRuns: runs(600), seed: 7 },
    )
    for (const word of ['breaking', 'compatible', 'not decided'])
      assert.ok((seen.get(word) ?? 0) > among(20, 600), word)
  })
})

describe('for all agents', () => {
  const base = agent()
  const agents = fc.uniqueArray(toolArbitrary, { maxLength: 4 }).map(tools => ({
    ...base,
    tools: { version: 1, tools: tools.map((tool, at) => ({ ...tool, id: `t.${at}` })) },
  }))
  test('nothing differs from itself', () => {
    fc.assert(fc.property(agents, one => assert.ok(isSame(diffAgents(one, one)))))
  })
  test('the order of tools is a difference of its own, and changes no other', () => {
    fc.assert(
      fc.property(agents, agents, (one, other) => {
        const turned = { ...other, tools: { version: 1, tools: [...other.tools.tools].reverse() } }
        const [a, b] = [diffAgents(one, other), diffAgents(one, turned)].map(diff => ({
          ...diff,
          isReordered: false,
          widened: diff.widened.map(({ message }) => message).sort(),
          narrowed: diff.narrowed.map(({ message }) => message).sort(),
          tools: [...diff.tools].sort((x, y) => (x.id < y.id ? -1 : 1)),
        }))
        assert.deepEqual(a, b)
      }),
    )
  })
})

test('files, and what the agent is called', () => {
  const diff = diffAgents(
    agent({ 'a.md': '1', 'b.md': '1', 'c.md': '1' }),
    agent({ 'b.md': '22', 'c.md': '1', 'd.md': '1' }, { version: '1.1.0' }),
  )
  const said = diff.files.map(({ path, change, before, after }) => [path, change, before?.size, after?.size])
  assert.deepEqual(
    said.filter(([path]) => path !== 'manifest.toml'),
    [
      ['a.md', 'removed', 1, undefined],
      ['b.md', 'changed', 1, 2],
      ['d.md', 'added', undefined, 1],
    ],
  )
  assert.deepEqual(diff.agent, [{ field: 'version', before: '1.0.0', after: '1.1.0' }])
})

test('a program that may reach out is another program, whatever its digest in the manifest', () => {
  const net = { 'policy.caps': '[capabilities]\nnet = ["a.example:443"]\n' }
  const built = {
    ...agentTree({ files: net }),
    'bin/mini.wasm': Buffer.concat([WASM, Buffer.from([0, 1, 0])]),
  }
  const after = read(memoryFiles(built), 'mini')
  assert.deepEqual(
    diffAgents(agent(net), after).widened.map(({ kind }) => kind),
    ['entry'],
  )
})

describe('the command', () => {
  const folder = temporary('diff')
  test('exits 4 when something widened, 0 otherwise, and compares no invalid bundle', async () => {
    const here = world(folder('exit'))
    const a = here.put('a', made({}, RELEASE))
    const b = here.put('b', made({ caps: 'time = true\n' }))
    const codes = async (...args: string[]) => {
      const { exit, envelope } = await here.rlp('agent', 'diff', ...args)
      return [exit, envelope.ok ? 'ok' : envelope.code]
    }
    assert.deepEqual(await codes(a, b), [4, 'ok'])
    assert.deepEqual(await codes(b, a), [0, 'ok'])
    const passed = async (...args: string[]) => {
      const { envelope } = await here.rlp('agent', 'diff', ...args)
      return (envelope.result as { passed: boolean }).passed
    }
    assert.deepEqual([await passed(a, b), await passed(b, a)], [false, true])
    assert.deepEqual(await codes(a, a), [0, 'ok'])
    const bytes = made({ caps: 'time = true\n' })
    bytes.write('timf', bytes.indexOf('time'))
    assert.deepEqual(await codes(a, here.put('bad', bytes)), [1, 'NOT_VERIFIED'])
    assert.deepEqual(await codes(here.put('cut', bytes.subarray(0, 900)), a), [1, 'NOT_VERIFIED'])
    assert.deepEqual(await codes(a, 'nowhere'), [3, 'IO'])
  })

  test('what a bundle says never steers a terminal', async () => {
    const here = world(folder('hostile'))
    const evil = { ...SEND, id: 'a.b', description: '\u001b[2J\u202eevil' }
    const policy = 'net = ["a.example:443"]\n'
    const a = here.put('a', made({ caps: policy, files: { 'tools.json': document({ ...SEND, id: 'a.b' }) } }))
    const b = here.put('b', made({ caps: policy, files: { 'tools.json': document(evil) } }))
    const { stdout } = await here.say('agent', 'diff', a, b)
    assert.match(stdout, /\\u\{1b\}\[2J\\u\{202e\}evil/)
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u202e]/)
  })
})

describe('a folder whose module is not there', () => {
  const [A, B, ENTRY] = ['a'.repeat(64), 'b'.repeat(64), 'bin/mini.wasm']
  const without = (stated: string | undefined) => {
    const whole = agent({ 'policy.caps': '[capabilities]\nnet = ["a.example"]\n' })
    const { manifest } = whole
    if (manifest === undefined) throw new TypeError('the agent has a manifest')
    const entries = manifest.entries.map(entry => ({ ...entry, blake3: stated }))
    const list = whole.files.list.filter(({ path }) => path !== ENTRY)
    const files = { ...whole.files, list, get: (path: string) => list.find(one => one.path === path) }
    return { ...whole, manifest: { ...manifest, entries }, files }
  }
  const widened = (before: string | undefined, after: string | undefined) =>
    diffAgents(without(before), without(after)).widened.map(({ kind }) => kind)

  test('has the module that its manifest states', () => {
    assert.deepEqual(widened(A, A.toUpperCase()), [])
    assert.deepEqual(widened(A, B), ['entry'])
  })

  for (const stated of [undefined, '0'.repeat(64)])
    test(`may have another one where the manifest states none: ${stated ?? 'left out'}`, () => {
      assert.deepEqual(widened(stated, stated), ['entry'])
    })
})
