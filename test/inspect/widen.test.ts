// When an upgrade has widened: every line of the list, what is no difference, and what has to hold for all bundles.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { read } from '../../src/agent/read-agent.ts'
import { permissionsOf, widen } from '../../src/inspect/widen.ts'
import type { Permissions, ToolPermission } from '../../src/model/permissions.ts'
import type { Policy } from '../../src/model/policy.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'
import { agentTree } from '../support/agent.ts'
import { grantArbitrary, grantsArbitrary, policyOf } from '../support/arbitrary-caps.ts'
import { memoryFiles } from '../support/memory.ts'
import { among, runs } from '../support/runs.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)

function bundle(policy: Partial<Policy> = {}, tools: readonly ToolPermission[] = [], entry = A): Permissions {
  return { policy: { ...NO_GRANTS, ...policy }, tools, entry }
}

const TOLD = { description: '', words: '', schemas: '' }
const EXEC: ToolPermission = {
  id: 't.run',
  kind: 'exec',
  command: '/bin/x',
  args: ['-a', 'b'],
  stdin: false,
  env: ['TZ'],
  secrets: ['s/one'],
  confirm: true,
  fills: [],
  told: TOLD,
}
const HTTP: ToolPermission = {
  id: 't.get',
  kind: 'http',
  method: 'GET',
  target: 'https://a.example:443',
  path: '/v1/x',
  headers: [],
  secrets: ['s/one'],
  confirm: true,
  fills: [],
  told: TOLD,
}
const ONE: JsonSchema = { enum: ['status', 'log'] }
const TEXT: JsonSchema = { type: 'string' }
const fill = (schema: JsonSchema, beside = '') => ({ path: 'cmd', schema, beside })
const net = (...hosts: string[]) => ({ net: { hosts, allowHttp: false } })
const exec = (change: Partial<typeof EXEC> = {}) => bundle({}, [{ ...EXEC, ...change } as ToolPermission])
const http = (change: Partial<typeof HTTP> = {}) => bundle({}, [{ ...HTTP, ...change } as ToolPermission])

/** What widened, as `kind message`. */
const widened = (before: Permissions, after: Permissions) =>
  widen(before, after).widened.map(({ kind, message }) => `${kind}: ${message}`)

describe('grants', () => {
  const cases: [what: string, before: Partial<Policy>, after: Partial<Policy>, widened: string[]][] = [
    ['a host', {}, net('a.example:443'), ['grant: may reach a.example:443']],
    [
      'a family that this build does not know',
      {},
      { unknown: ['gpu'] },
      ['grant: may use "gpu", a capability that this build does not know'],
    ],
    ['the same one again', { unknown: ['gpu'] }, { unknown: ['gpu'] }, []],
    ['another port', net('a.example:443'), net('a.example:444'), ['grant: may reach a.example:444']],
    [
      'no port, which some read as every port',
      net('a.example:443'),
      net('a.example'),
      ['grant: may reach a.example on every port'],
    ],
    [
      'a port where none was written, but not the usual one',
      net('a.example'),
      net('a.example:8443'),
      ['grant: may reach a.example:8443'],
    ],
    ['the usual port where none was written', net('a.example'), net('a.example:443'), []],
    ['the same host in other letters', net('A.example'), net('a.EXAMPLE'), []],
    ['a host below', net('a.example'), net('b.a.example'), ['grant: may reach b.a.example on every port']],
    [
      'plain http',
      net('a.example'),
      { net: { hosts: ['a.example'], allowHttp: true } },
      ['grant: may reach its hosts without encryption'],
    ],
    ['plain http, and no host', {}, { net: { hosts: [], allowHttp: true } }, []],
    ['a folder', {}, { fs: ['/data'] }, ['grant: may use files below /data']],
    ['a folder below', { fs: ['/data/'] }, { fs: ['/data/sub', '/data'] }, []],
    ['a folder above', { fs: ['/data/sub'] }, { fs: ['/data'] }, ['grant: may use files below /data']],
    [
      'a folder beside with the same beginning',
      { fs: ['/data'] },
      { fs: ['/database'] },
      ['grant: may use files below /database'],
    ],
    [
      'a path that leads out',
      { fs: ['/data'] },
      { fs: ['/data/../etc'] },
      ['grant: may use files below /data/../etc'],
    ],
    [
      'writing',
      { fs: ['/data'], fsRo: ['/data'] },
      { fsRw: ['/data'] },
      ['grant: may read and write files below /data'],
    ],
    ['reading where writing was', { fsRw: ['/data'] }, { fs: ['/data'], fsRo: ['/data/x'] }, []],
    [
      'fs, which some read as writing, where reading was',
      { fsRo: ['/data'] },
      { fs: ['/data'] },
      ['grant: may use files below /data'],
    ],
    [
      'the home folder where everything was',
      { fs: ['/'] },
      { fs: ['~/x'] },
      ['grant: may use files below ~/x'],
    ],
    [
      'the clock and the model',
      {},
      { time: true, model: true },
      ['grant: may read the clock', 'grant: may call its model'],
    ],
    ['a knowledge base', { kbRead: ['x'] }, { kbRead: ['x', 'y'] }, ['grant: may read the knowledge base y']],
    ['every knowledge base', { kbRead: ['x'] }, { kbRead: true }, ['grant: may read every knowledge base']],
    ['one where there were all', { kbWrite: true }, { kbWrite: ['x'] }, []],
    [
      'writing where reading was all',
      { kbRead: true },
      { kbWrite: ['x'] },
      ['grant: may write the knowledge base x'],
    ],
    ['a secret', { secrets: ['a/b'] }, { secrets: ['a/b', 'a/c'] }, ['grant: may use the secret a/c']],
    ['a program', { exec: ['/bin/x'] }, { exec: ['/bin/x', '/bin/y'] }, ['grant: may run /bin/y']],
    ['every program', { exec: ['/bin/x'] }, { exec: true }, ['grant: may run every program']],
    ['one program where there were all', { exec: true }, { exec: ['/bin/x'] }, []],
    [
      'the same twice',
      { secrets: ['a'] },
      { secrets: ['a', 'a', 'b', 'b'] },
      ['grant: may use the secret b'],
    ],
  ]
  for (const [what, before, after, expected] of cases) {
    test(what, () => assert.deepEqual(widened(bundle(before), bundle(after)), expected))
  }

  test('what is gone is the other list', () => {
    const { widened, narrowed } = widen(
      bundle({ ...net('a.example'), time: true }),
      bundle(net('a.example:443')),
    )
    assert.deepEqual(widened, [])
    assert.deepEqual(
      narrowed.map(({ message }) => message),
      ['may reach a.example on every port', 'may read the clock'],
    )
  })
})

describe('tools', () => {
  test('a question more is a call less without asking', () => {
    const said = (before: Permissions, after: Permissions) =>
      widen(before, after).narrowed.map(({ kind, message }) => `${kind}: ${message}`)
    assert.deepEqual(said(http({ confirm: false }), http()), ['confirmation: calls t.get without asking'])
    assert.deepEqual(said(http(), http({ confirm: false })), [])
  })

  const cases: [what: string, before: Permissions, after: Permissions, widened: string[]][] = [
    [
      'a new program',
      bundle(),
      exec({ env: [], secrets: [] }),
      ['tool: may run /bin/x -a b as the tool t.run'],
    ],
    [
      'another program',
      exec({ env: [], secrets: [] }),
      exec({ command: '/bin/y', env: [], secrets: [] }),
      ['command: runs /bin/y as t.run, not /bin/x'],
    ],
    [
      'another argument',
      exec(),
      exec({ args: ['-a', 'c d'] }),
      ['args: runs /bin/x -a "c d" as t.run, with other arguments'],
    ],
    [
      'fewer arguments',
      exec(),
      exec({ args: ['-a'] }),
      ['args: runs /bin/x -a as t.run, with other arguments'],
    ],
    [
      'arguments in another order',
      exec(),
      exec({ args: ['b', '-a'] }),
      ['args: runs /bin/x b -a as t.run, with other arguments'],
    ],
    ['standard input', exec(), exec({ stdin: true }), ['stdin: gives t.run its arguments on standard input']],
    ['no standard input', exec({ stdin: true }), exec(), ['stdin: gives t.run its arguments in a file']],
    [
      'a variable',
      exec(),
      exec({ env: ['TZ', 'HOME_PAGE'] }),
      ['env: gives the variable HOME_PAGE to /bin/x'],
    ],
    ['a secret', exec(), exec({ secrets: ['s/one', 's/two'] }), ['secret: gives the secret s/two to /bin/x']],
    [
      'a secret to another host',
      http(),
      http({ target: 'https://b.example:443' }),
      [
        'path: calls t.get at https://b.example:443/v1/x, not https://a.example:443/v1/x',
        'secret: gives the secret s/one to https://b.example:443',
      ],
    ],
    [
      'a secret without encryption',
      http(),
      http({ target: 'http://a.example:443' }),
      [
        'path: calls t.get at http://a.example:443/v1/x, not https://a.example:443/v1/x',
        'secret: gives the secret s/one to http://a.example:443',
      ],
    ],
    ['no question any more', exec(), exec({ confirm: false }), ['confirmation: calls t.run without asking']],
    [
      'no question any more, by request',
      http(),
      http({ confirm: false }),
      ['confirmation: calls t.get without asking'],
    ],
    ['a question more', http({ confirm: false }), http(), []],
    ['POST for GET', http(), http({ method: 'POST' }), ['method: calls t.get with POST, not GET']],
    [
      'DELETE for HEAD',
      http({ method: 'HEAD' }),
      http({ method: 'DELETE' }),
      ['method: calls t.get with DELETE, not HEAD'],
    ],
    ['HEAD for GET', http(), http({ method: 'HEAD' }), ['method: calls t.get with HEAD, not GET']],
    [
      'PUT for POST',
      http({ method: 'POST' }),
      http({ method: 'PUT' }),
      ['method: calls t.get with PUT, not POST'],
    ],
    [
      'another path',
      http(),
      http({ path: '/admin/keys/{{input.id}}' }),
      ['path: calls t.get at https://a.example:443/admin/keys/{{input.id}}, not https://a.example:443/v1/x'],
    ],
    [
      'another query',
      http(),
      http({ path: '/v1/x?all=1' }),
      ['path: calls t.get at https://a.example:443/v1/x?all=1, not https://a.example:443/v1/x'],
    ],
    ['a header', http(), http({ headers: [['x-as', 'root']] }), ['header: calls t.get with x-as: root']],
    [
      'another value of a header',
      http({ headers: [['x-as', 'me']] }),
      http({ headers: [['x-as', 'root']] }),
      ['header: calls t.get with x-as: root, not me'],
    ],
    [
      'a header gone',
      http({ headers: [['x-dry-run', '1']] }),
      http(),
      ['header: calls t.get without the header x-dry-run'],
    ],
    ['fewer of everything', exec(), bundle(), []],
    [
      'a request that becomes a program',
      http({ id: 't.run', secrets: [] }),
      exec({ env: [], secrets: [] }),
      ['tool: may run /bin/x -a b as the tool t.run'],
    ],
    [
      'a program that becomes a request',
      exec({ id: 't.get' }),
      http({ secrets: [], confirm: false }),
      ['tool: calls GET https://a.example:443/v1/x as the tool t.get, without asking'],
    ],
    [
      'a new request',
      bundle(),
      http({ secrets: [] }),
      ['tool: calls GET https://a.example:443/v1/x as the tool t.get'],
    ],
    [
      'a new request that is not asked about',
      bundle(),
      http({ secrets: [], confirm: false }),
      ['tool: calls GET https://a.example:443/v1/x as the tool t.get, without asking'],
    ],
    [
      'a new program that is not asked about',
      bundle(),
      exec({ env: [], secrets: [], confirm: false }),
      ['tool: may run /bin/x -a b as the tool t.run, without asking'],
    ],
  ]
  for (const [what, before, after, expected] of cases) {
    test(what, () => assert.deepEqual(widened(before, after), expected))
  }

  describe('under another name', () => {
    const two = (...tools: Partial<typeof HTTP>[]) =>
      bundle(
        {},
        tools.map((tool, index) => ({ ...HTTP, id: `t${index}`, ...tool }) as ToolPermission),
      )
    const cases: [what: string, before: Permissions, after: Permissions, tools: string[]][] = [
      ['the same ones', two({}, {}), two({}, {}), []],
      ['a request that is the same otherwise', http(), http({ id: 'new' }), ['new']],
      ['a program that is the same otherwise', exec(), exec({ id: 'new' }), ['new']],
      ['a narrower request', http({ fills: [fill(TEXT)] }), http({ id: 'new', fills: [fill(ONE)] }), ['new']],
      ['beside one that is as free', two({}), two({}, {}), ['t1']],
      [
        'at a host that no tool had',
        two({}),
        two({}, { target: 'https://b.example:443', secrets: [] }),
        ['t1'],
      ],
    ]
    for (const [what, before, after, tools] of cases) {
      test(what, () => {
        const { widened } = widen(before, after)
        assert.deepEqual(
          widened.map(({ kind, tool }) => [kind, tool]),
          tools.map(id => ['tool', id]),
        )
        assert.deepEqual(
          widen(after, before).narrowed.map(({ kind, tool }) => [kind, tool]),
          tools.map(id => ['tool', id]),
        )
      })
    }
  })
})

describe('the entry', () => {
  const run = (policy: Partial<Policy>) => widened(bundle(policy), bundle(policy, [], B))
  test('other code where nothing can be reached is no difference', () => {
    assert.deepEqual(run({ fs: ['/data'], secrets: ['x'], kbWrite: true }), [])
  })
  test('other code where the network or programs can be reached', () => {
    assert.deepEqual(run(net('a.example')), [
      'entry: has another program inside, which may reach the network',
    ])
    assert.deepEqual(run({ exec: ['/bin/x'] }), ['entry: has another program inside, which may run programs'])
    assert.deepEqual(run({ exec: true, ...net('a.example') }), [
      'entry: has another program inside, which may reach the network and run programs',
    ])
  })
  test('the same code is no difference', () => {
    assert.deepEqual(widened(bundle(net('a.example')), bundle(net('a.example'))), [])
  })
})

describe('a tool that a record withholds', () => {
  const withheld = { isWithheld: true } as const
  const lifted = (id: string) => `withheld: may call ${id}, which the records of the other version withhold`

  test('and withholds no more has widened, of either kind', () => {
    assert.deepEqual(widened(http(), http()), [], 'the control: the same tool, never withheld')
    assert.deepEqual(widened(http(withheld), http()), [
      lifted('t.get'),
      'tool: calls GET https://a.example:443/v1/x as the tool t.get',
      'secret: gives the secret s/one to https://a.example:443',
    ])
    assert.deepEqual(widened(http({ ...withheld, secrets: [] }), http({ secrets: [] })), [
      lifted('t.get'),
      'tool: calls GET https://a.example:443/v1/x as the tool t.get',
    ])
    assert.deepEqual(widened(exec({ ...withheld, secrets: [], env: [] }), exec({ secrets: [], env: [] })), [
      lifted('t.run'),
      'tool: may run /bin/x -a b as the tool t.run',
    ])
  })

  test('does nothing, whatever it would do', () => {
    assert.deepEqual(widened(http(withheld), http({ ...withheld, method: 'DELETE', confirm: false })), [])
    assert.deepEqual(widened(bundle(), exec(withheld)), [])
    assert.deepEqual(widen(http(), http(withheld)).widened, [])
    assert.deepEqual(
      widen(http({ secrets: [] }), http({ ...withheld, secrets: [] })).narrowed.map(({ kind }) => kind),
      ['withheld', 'tool'],
    )
  })

  test('is compared with what ran before, not with what was withheld', () => {
    assert.deepEqual(widened(http({ ...withheld, secrets: [] }), http({ secrets: [], confirm: false })), [
      lifted('t.get'),
      'tool: calls GET https://a.example:443/v1/x as the tool t.get, without asking',
    ])
    const twoSteps = [http(), http({ ...withheld, method: 'DELETE' }), http({ method: 'DELETE' })] as const
    assert.deepEqual(widened(twoSteps[0], twoSteps[1]), [])
    assert.ok(widened(twoSteps[1], twoSteps[2]).includes(lifted('t.get')))
  })
})

describe('what a model is told of a tool', () => {
  const told = (description: string, title?: string, more: object = {}): Permissions => {
    const tools = {
      version: 1,
      tools: [
        {
          id: 't.get',
          description,
          transport: { kind: 'http', method: 'GET', url: 'https://a.example/' },
          input_schema: { type: 'object', properties: { a: { $ref: 'schemas/a.json' } } },
          result_schema: { type: 'object' },
          ...more,
        },
      ],
    }
    const record = { schema_version: '0.2.0', interface_id: 'i:t.get', tool_id: 't.get' }
    const files = {
      'tools.json': JSON.stringify(tools),
      'schemas/a.json': JSON.stringify({ type: 'string', description: more === OTHER_FILE ? 'b' : 'a' }),
      ...(title !== undefined && {
        'interfaces.json': JSON.stringify([{ ...record, user_facing_name: title }]),
      }),
    }
    return permissionsOf(read(memoryFiles(agentTree({ files })), 'mini'))
  }
  const OTHER_FILE = {}
  const said = (before: Permissions, after: Permissions) => {
    const { widened, narrowed, described } = widen(before, after)
    assert.deepEqual([widened, narrowed], [[], []])
    return described.map(({ kind, message }) => `${kind}: ${message}`)
  }
  const long = (end: string, length = 200) => `${'Reads the mail. '.repeat(length)}${end}`

  const cases: [what: string, before: Permissions, after: Permissions, said: string[]][] = [
    ['the same', told('Reads.', 'Get'), told('Reads.', 'Get'), []],
    [
      'another description',
      told('Reads.'),
      told('Reads. Call it first.'),
      ['description: describes t.get as "Reads. Call it first.", not as "Reads."'],
    ],
    ['a title', told('Reads.'), told('Reads.', 'Get'), ['title: calls t.get "Get"']],
    ['another title', told('Reads.', 'Get'), told('Reads.', 'Pay'), ['title: calls t.get "Pay", not "Get"']],
    ['no title', told('Reads.', 'Get'), told('Reads.'), ['title: has no title for t.get, not "Get"']],
    [
      'the end of a long description',
      told(long('', 30)),
      told(long('Pay.', 30)),
      [
        'description: describes t.get as "…e mail. Reads the mail. Reads the mail. Pay.", not as "…e mail. Reads the mail. Reads the mail. "',
      ],
    ],
    [
      'what is beyond what is kept',
      told(long('')),
      told(long('Pay.')),
      ['description: describes t.get otherwise after 1000 characters'],
    ],
    [
      'the words of a schema',
      told('Reads.'),
      told('Reads.', undefined, { result_schema: { type: 'object', description: 'Pay.' } }),
      ['schema: describes input or result of t.get with another schema'],
    ],
    [
      'the words of a schema in a file',
      told('Reads.'),
      told('Reads.', undefined, OTHER_FILE),
      ['schema: describes input or result of t.get with another schema'],
    ],
  ]
  for (const [what, before, after, expected] of cases)
    test(what, () => assert.deepEqual(said(before, after), expected))

  test('keeps no half of a character', () => {
    const [tool] = told(`${'x'.repeat(999)}😀`).tools
    assert.equal(tool?.told.description, 'x'.repeat(999))
  })
})

test('a first install shows everything', () => {
  const all = bundle({ ...net('a.example'), time: true }, [EXEC, HTTP])
  assert.deepEqual(
    widen(undefined, all).widened.map(({ kind }) => kind),
    ['grant', 'grant', 'tool', 'tool', 'secret', 'env', 'secret'],
  )
  assert.deepEqual(widen(undefined, bundle()).widened, [])
})

test('permissions of an agent', () => {
  const tools = {
    version: 1,
    tools: [
      {
        id: 'a.get',
        description: 'Reads.',
        transport: {
          kind: 'http',
          method: 'GET',
          url: 'https://a.example/{{input.x}}?q=1#z',
          headers: { Accept: 'text/plain' },
        },
        input_schema: { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'string' } } },
        result_schema: { type: 'object' },
        requires_confirmation: true,
      },
      {
        id: 'a.run',
        description: 'Runs.',
        transport: { kind: 'exec', command: '/bin/x', args: ['-a'] },
        input_schema: { type: 'object' },
        result_schema: { type: 'object' },
        'x-rlp': { stdin: true, env: ['TZ'] },
      },
    ],
  }
  const tree = agentTree({
    files: { 'tools.json': JSON.stringify(tools), 'policy.caps': '[capabilities]\ntime = true\n' },
  })
  const permissions = permissionsOf(read(memoryFiles(tree), 'mini'))
  assert.deepEqual(permissions.policy, { ...NO_GRANTS, time: true })
  assert.deepEqual(
    permissions.tools.map(({ told: _, ...does }) => does),
    [
      {
        id: 'a.get',
        kind: 'http',
        method: 'GET',
        target: 'https://a.example:443',
        path: '/{{input.x}}?q=1',
        headers: [['accept', 'text/plain']],
        secrets: [],
        confirm: true,
        fills: [{ path: 'x', schema: { type: 'integer' }, beside: '' }],
      },
      {
        id: 'a.run',
        kind: 'exec',
        command: '/bin/x',
        args: ['-a'],
        stdin: true,
        env: ['TZ'],
        secrets: [],
        confirm: false,
        fills: [{ path: '', schema: { type: 'object' }, beside: '' }],
      },
    ],
  )
  assert.match(permissions.entry ?? '', /^[0-9a-f]{64}$/)

  const records = [
    { schema_version: '0.2.0', interface_id: 'i:a.get', tool_id: 'a.get', is_enabled: false },
    { schema_version: '0.2.0', interface_id: 'i:a.run', tool_id: 'a.run', requires_setup: true },
  ]
  const kept = { ...tree, 'interfaces.json': JSON.stringify(records) }
  assert.deepEqual(
    permissionsOf(read(memoryFiles(kept), 'mini')).tools,
    permissions.tools.map(tool => ({ ...tool, isWithheld: true })),
  )
})

describe('for all bundles', () => {
  const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 3 })
  const names = list(fc.constantFrom('x', 'y'))
  const withheld = <T extends ToolPermission>(tool: fc.Arbitrary<T>): fc.Arbitrary<T> =>
    fc.tuple(tool, fc.nat(3)).map(([tool, of4]) => (of4 === 0 ? { ...tool, isWithheld: true } : tool))
  const execTool = (id: string) =>
    fc.record({
      id: fc.constant(id),
      kind: fc.constant('exec' as const),
      command: fc.constantFrom('/bin/x', '/bin/y'),
      args: list(fc.constantFrom('-a', '-b')),
      stdin: fc.boolean(),
      env: names,
      secrets: names,
      confirm: fc.boolean(),
      fills: fc.constantFrom([], [fill(ONE)], [fill(TEXT)]),
      told: fc.constant(TOLD),
    })
  const httpTool = (id: string) =>
    fc.record({
      id: fc.constant(id),
      kind: fc.constant('http' as const),
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT'),
      target: fc.constantFrom('https://a.example:443', 'http://a.example:80'),
      path: fc.constantFrom('/', '/x'),
      headers: fc.constantFrom([], [['x-a', 'b'] as const]),
      secrets: names,
      confirm: fc.boolean(),
      fills: fc.constantFrom([], [fill(ONE)], [fill(TEXT)]),
      told: fc.constant(TOLD),
    })
  const tool = (id: string) => withheld(fc.oneof(execTool(id), httpTool(id)))
  const policy = grantsArbitrary.map(policyOf)
  const entry = fc.constantFrom(A, B)
  /** Some of three tools. */
  const any: fc.Arbitrary<Permissions> = fc
    .record({
      policy,
      entry,
      all: fc.tuple(tool('t0'), tool('t1'), tool('t2')),
      has: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    })
    .map(({ policy, entry, all, has }) => ({ policy, entry, tools: all.filter((_, index) => has[index]) }))
  /** The same ids and kinds in all of them: no tool can be taken away and brought back as another. */
  const steady: fc.Arbitrary<Permissions> = fc.record({
    policy,
    entry,
    tools: fc.tuple(withheld(execTool('t0')), withheld(httpTool('t1'))),
  })

  test('the same bundle has not widened, in any order of its lists', () => {
    fc.assert(
      fc.property(any, one => {
        const turned: Permissions = {
          ...one,
          policy: Object.fromEntries(
            Object.entries(one.policy).map(([key, value]) => [
              key,
              Array.isArray(value) ? value.toReversed() : value,
            ]),
          ) as unknown as Policy,
          tools: one.tools.toReversed().map(tool => ({
            ...tool,
            secrets: tool.secrets.toReversed(),
            ...(tool.kind === 'exec' && { env: tool.env.toReversed() }),
          })),
        }
        assert.deepEqual(widen(one, turned), { widened: [], narrowed: [], described: [] })
      }),
    )
  })

  test('order changes nothing about what widened', () => {
    const kinds = (before: Permissions, after: Permissions) => widened(before, after).sort().join('\n')
    fc.assert(
      fc.property(any, any, (before, after) => {
        const turned = { ...after, tools: after.tools.toReversed() }
        const old = { ...before, tools: before.tools.toReversed() }
        // Of several tools with one pair the last is named; the pair itself is what counts.
        assert.equal(kinds(old, turned), kinds(before, after))
      }),
    )
  })

  test('a grant more never is less, and taking away is never more', () => {
    fc.assert(
      fc.property(grantsArbitrary, grantArbitrary, (grants, grant) => {
        const less = bundle(policyOf(grants))
        const more = bundle(policyOf([...grants, grant]))
        assert.deepEqual(widen(more, less).widened, [])
        assert.deepEqual(widen(less, more).narrowed, [])
      }),
    )
  })

  test('two upgrades that do not widen are one that does not', () => {
    let reached = 0
    fc.assert(
      fc.property(steady, steady, fc.array(grantArbitrary, { maxLength: 2 }), (a, other, grants) => {
        // Mostly related: unrelated bundles nearly always widen.
        const b = { ...a, policy: grants.length > 0 ? policyOf(grants) : a.policy, entry: other.entry }
        const c = {
          ...b,
          tools: other.tools.map(
            (tool, index) => ({ ...b.tools[index], secrets: tool.secrets }) as ToolPermission,
          ),
        }
        if (widen(a, b).widened.length > 0 || widen(b, c).widened.length > 0) return
        reached++
        assert.deepEqual(widen(a, c).widened, [])
      }),
      { numRuns: runs(2000), seed: 7 },
    )
    assert.ok(reached > among(100, 2000), `only ${reached} of them`)
  })

  test('what was gained one way is lost the other way', () => {
    fc.assert(
      fc.property(steady, steady, (a, b) => {
        const { widened, narrowed } = widen(a, b)
        const back = widen(b, a)
        const grants = (changes: readonly { kind: string; message: string }[]) =>
          changes.filter(({ kind }) => kind === 'grant').map(({ message }) => message)
        assert.deepEqual(grants(narrowed), grants(back.widened))
        assert.deepEqual(grants(widened), grants(back.narrowed))
      }),
    )
  })
})
