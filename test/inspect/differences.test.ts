// Differences one by one: of files, tools and schemas, of what a model is told, and whether an entry counts as another program.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import {
  changedFields,
  changedFiles,
  changedTools,
  mayOf,
  readableMay,
  statedDigest,
  type ToolsIn,
} from '../../src/inspect/diff.ts'
import { inspectedStatements } from '../../src/inspect/inspected.ts'
import { narrowerInputs, toldIn, toldOtherwise, widen, widerInputs } from '../../src/inspect/widen.ts'
import type { Agent } from '../../src/model/agent.ts'
import {
  type Change,
  NOT_COMPARED,
  type Permissions,
  type ToolPermission,
} from '../../src/model/permissions.ts'
import type { Tool } from '../../src/model/tools.ts'
import type { TrustContext } from '../../src/model/trust.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'
import { agentTree } from '../support/agent.ts'
import { TOOL } from '../support/arbitrary-caps.ts'
import { memoryFiles } from '../support/memory.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const agent = (files: Readonly<Record<string, string>> = {}) =>
  read(memoryFiles(agentTree({ files })), 'mini')

describe('files', () => {
  const side = (digest: string | undefined): Agent => {
    const list = digest === undefined ? [] : [{ path: 'f', size: 1, digest }]
    const files = { list, get: (path: string) => list.find(one => one.path === path) }
    return { files } as unknown as Agent
  }
  const change = (before: string | undefined, after: string | undefined) =>
    changedFiles(side(before), side(after)).map(({ change }) => change)

  test('are added, removed, changed or the same', () => {
    assert.deepEqual(change(undefined, A), ['added'])
    assert.deepEqual(change(A, undefined), ['removed'])
    assert.deepEqual(change(A, B), ['changed'])
    assert.deepEqual(change(A, A), [])
  })

  test('of which a manifest states a digest have that one, unless it is no digest or not computed yet', () => {
    assert.equal(statedDigest(A.toUpperCase()), A)
    for (const text of [undefined, 'x', A.slice(1), '0'.repeat(64)])
      assert.equal(statedDigest(text), undefined)
  })

  test('of signatures are no part of what is compared', () => {
    const signed = read(memoryFiles({ ...agentTree(), 'SIGNATURES/manifest.sig': 'x' }), 'mini')
    assert.deepEqual(changedFiles(agent(), signed), [])
  })
})

describe('tools', () => {
  const tool = (id: string, more: object = {}) => ({ ...TOOL, id, ...more }) as Tool
  const all = (tools: readonly Tool[], more: Partial<ToolsIn> = {}): ToolsIn => ({
    tools,
    schemaAt: () => undefined,
    schemaFiles: new Map(),
    recordFields: () => ({}),
    ...more,
  })
  const said = (before: readonly Tool[], after: readonly Tool[]) =>
    changedTools(all(before), all(after)).tools.map(
      ({ id, change, to }) => `${id} ${change}${to === undefined ? '' : ` ${to}`}`,
    )

  test('of one id twice count once, by the first', () => {
    const [first, second] = [tool('a'), tool('a', { description: 'other' })]
    assert.deepEqual(said([first, second], [first]), [])
    assert.deepEqual(said([first, second], [second]), ['a changed'])
  })

  test('are renamed where all else is the same, and one alone could be meant', () => {
    assert.deepEqual(said([tool('a')], [tool('b')]), ['a renamed b'])
    assert.deepEqual(said([tool('a'), tool('c')], [tool('b')]), ['a removed', 'c removed', 'b added'])
    assert.deepEqual(said([tool('a'), tool('c'), tool('d')], [tool('b')]).length, 4)
    assert.deepEqual(said([tool('a')], [tool('a'), tool('b')]), ['b added'])
    assert.deepEqual(said([tool('a'), tool('b')], [tool('b')]), ['a removed'])
  })

  test('have fields that changed, also what records say of them', () => {
    const record = (title: string) => ({ recordFields: () => ({ title }) })
    const { tools } = changedTools(all([tool('a')], record('x')), all([tool('a')], record('y')))
    assert.deepEqual(
      tools.map(({ fields }) => fields),
      [[{ field: 'title', before: 'x', after: 'y' }]],
    )
    assert.deepEqual(changedFields({ a: 1, b: [1] }, { b: [1], c: 2 }), [
      { field: 'a', before: 1, after: undefined },
      { field: 'c', before: undefined, after: 2 },
    ])
  })

  test('with references are compared again where a file of schemas is another or is not known', () => {
    const ref = { inputSchema: { $ref: 'schemas/a.json' }, resultSchema: true } as const
    const content = { type: 'string' }
    const schemas = (
      before: ReadonlyMap<string, string | undefined>,
      after: ReadonlyMap<string, string | undefined>,
    ) => {
      const side = (schemaFiles: ReadonlyMap<string, string | undefined>, is: unknown) =>
        all([tool('a', ref)], { schemaFiles, schemaAt: path => (path === 'schemas/a.json' ? is : undefined) })
      return changedTools(side(before, content), side(after, { type: 'number' })).schemas.length
    }
    const of = (...entries: (readonly [string, string | undefined])[]) => new Map(entries)
    assert.equal(schemas(of(['x', A]), of(['x', A])), 0)
    assert.equal(schemas(of(['x', A]), of(['x', B])), 1)
    assert.equal(schemas(of(['x', undefined]), of(['x', undefined])), 1)
    assert.equal(schemas(of(['x', A]), of(['x', A], ['y', A])), 1)
    assert.equal(schemas(of(['x', A], ['y', A]), of(['x', A], ['y', B])), 1)
    assert.equal(schemas(of(), of()), 0)
  })
})

describe('what an agent may do', () => {
  test('is known where manifest, policy and tools can be read', () => {
    const whole = agent()
    assert.ok(readableMay(whole) !== undefined)
    const [entry] = whole.manifest?.entries ?? []
    assert.ok(whole.manifest && entry)
    for (const [file, less] of [
      ['manifest.toml', { manifest: undefined }],
      ['manifest.toml', { manifest: { ...whole.manifest, entries: [] } }],
      ['policy.caps', { policy: undefined }],
      ['tools.json', { tools: undefined }],
    ] as const) {
      const part = { ...whole, ...less } as Agent
      assert.equal(readableMay(part), undefined)
      assert.throws(() => mayOf(part), {
        code: 'LINT_FAILED',
        message: `Cannot compare "mini": its ${file} cannot be read`,
      })
    }
    assert.equal(readableMay(undefined), undefined)
  })
})

describe('the program inside', () => {
  const may = (entry: string | null, policy: object): Permissions => ({
    policy: { ...NO_GRANTS, ...policy },
    tools: [],
    entry,
  })
  const kinds = (before: string | null, after: string | null, policy: object) =>
    widen(may(before, policy), may(after, policy)).widened.map(({ message }) => message)
  const NET = { net: { hosts: ['h.example:443'], allowHttp: false } }

  test('is another one if its digest is, or is not known on either side', () => {
    assert.deepEqual(kinds(A, A, NET), [])
    assert.deepEqual(kinds(A, B, NET), ['has another program inside, which may reach the network'])
    for (const [before, after] of [
      [null, A],
      [A, null],
      [null, null],
    ] as const)
      assert.match(
        kinds(before, after, NET)[0] ?? '',
        /^may have another program inside \(the digest of one is not known\)/,
      )
  })

  test('matters where it may reach out', () => {
    assert.deepEqual(kinds(A, B, {}), [])
    assert.deepEqual(kinds(A, B, { exec: [] }), [])
    assert.deepEqual(kinds(A, B, { exec: ['/bin/x'] }), [
      'has another program inside, which may run programs',
    ])
    assert.deepEqual(kinds(A, B, { exec: true }), ['has another program inside, which may run programs'])
  })

  test('is all new at a first install, and its tools ask or do not', () => {
    assert.deepEqual(widen(undefined, may(A, {})).widened, [])
    const tool = { ...EXEC, id: 'a' } as ToolPermission
    const first = widen(undefined, { ...may(A, {}), tools: [tool] }).widened.map(({ message }) => message)
    assert.deepEqual(first, ['may run /bin/x as the tool a'])
    const later = widen(may(A, {}), { ...may(A, {}), tools: [tool, { ...tool, id: 'b', confirm: true }] })
    assert.deepEqual(
      later.widened.map(({ message }) => message),
      ['may run /bin/x as the tool a, without asking', 'may run /bin/x as the tool b'],
    )
  })
})

const EXEC = {
  id: 't',
  kind: 'exec',
  command: '/bin/x',
  args: [],
  stdin: false,
  env: [],
  secrets: [],
  confirm: false,
  fills: [],
  told: { description: '', words: '', schemas: '' },
} as const

describe('arguments', () => {
  const TEXT = { type: 'string' }
  const TWO = { enum: ['a', 'b'] }
  const fill = (path: string, schema: unknown, beside = '') =>
    ({ path, schema, beside }) as ToolPermission['fills'][number]
  const words = (changes: Iterable<Change>) => [...changes].map(({ message }) => message)
  const wider = (before: ToolPermission['fills'], after: ToolPermission['fills']) =>
    words(widerInputs(before, { ...EXEC, fills: after } as ToolPermission))

  test('that are new, or were not compared, may take more; what is beside them may only restrict', () => {
    assert.deepEqual(wider([], [fill('a', TEXT)]), ['may take more values as input.a of t'])
    assert.deepEqual(wider([fill('a', true, NOT_COMPARED)], [fill('a', TWO)]), [
      'may take more values as input.a of t',
    ])
    assert.deepEqual(wider([fill('a', TEXT)], [fill('a', TEXT, A)]), [])
    assert.deepEqual(wider([fill('a', TEXT, A)], [fill('a', TEXT, A)]), [])
    assert.deepEqual(wider([fill('a', TEXT, A)], [fill('a', TEXT, B)]), [
      'may take more values as input.a of t',
    ])
    assert.deepEqual(wider([fill('a', TEXT, A)], [fill('a', TEXT)]), ['may take more values as input.a of t'])
  })

  test('take more where that is certain, and may where something is beside them', () => {
    assert.deepEqual(wider([fill('a', TWO)], [fill('a', TEXT)]), ['takes more values as input.a of t'])
    assert.deepEqual(wider([fill('a', TWO, A)], [fill('a', TEXT, A)]), [
      'may take more values as input.a of t',
    ])
    assert.deepEqual(wider([fill('a', TEXT)], [fill('a', TWO)]), [])
  })

  test('of all together are named by the part that is wider, with its own signs', () => {
    const object = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
    const all = (schema: object) => [fill('', schema)]
    assert.deepEqual(wider(all(object({ 'a/b~c': TWO })), all(object({ 'a/b~c': TEXT }))), [
      'takes more values as input.a/b~c of t',
    ])
    assert.deepEqual(wider(all({ type: 'object' }), all({ type: ['object', 'null'] })), [
      'takes more values as input of t',
    ])
  })

  test('that may be wider or certainly are, are told once, as certain', () => {
    const maybe = { type: 'string', pattern: 'a' }
    const object = (a: object) => ({ type: 'object', properties: { a }, additionalProperties: false })
    const before = [fill('', object({ ...maybe })), fill('a', TWO)]
    const after = [fill('', object({ type: 'string', pattern: 'b' })), fill('a', TEXT)]
    assert.deepEqual(wider(before, after), ['takes more values as input.a of t'])
  })

  test('that are narrower are told where both are known and it is certain', () => {
    const narrower = (before: ToolPermission['fills'], now: ToolPermission['fills']) =>
      words(narrowerInputs({ ...EXEC, fills: before } as ToolPermission, now))
    assert.deepEqual(narrower([fill('a', TEXT)], [fill('a', TWO)]), ['takes more values as input.a of t'])
    assert.deepEqual(narrower([fill('a', TEXT), fill('b', TEXT)], [fill('a', TEXT)]), [])
    assert.deepEqual(narrower([fill('a', TEXT, A)], [fill('a', TWO, A)]), [])
  })
})

describe('what a model is told', () => {
  const told = (facts: { description: string; title?: string; words?: string; schemas?: string }) =>
    ({ ...EXEC, told: { words: facts.description, schemas: 's', ...facts } }) as unknown as ToolPermission
  const said = (before: ToolPermission | undefined, after: ToolPermission) =>
    [...toldOtherwise(before, after)].map(({ kind, message }) => `${kind}: ${message}`)

  test('is told of a tool that was there before', () => {
    assert.deepEqual(said(undefined, told({ description: 'a' })), [])
    assert.deepEqual(said(told({ description: 'a' }), told({ description: 'a' })), [])
    assert.deepEqual(said(told({ description: 'b', schemas: 'r' }), told({ description: 'a', title: 'T' })), [
      'title: calls t "T"',
      'description: describes t as "a", not as "b"',
      'schema: describes input or result of t with another schema',
    ])
  })

  test('is another title once, and no other description for it', () => {
    const [before, after] = [
      told({ description: 'a', title: 'T', words: '1' }),
      told({ description: 'a', title: 'U', words: '2' }),
    ]
    assert.deepEqual(said(before, after), ['title: calls t "U", not "T"'])
    assert.deepEqual(said(told({ description: 'a', words: '1' }), told({ description: 'a', words: '2' })), [
      'description: describes t otherwise after 1000 characters',
    ])
  })

  test('shows a text of three hundred characters whole, and of a longer one the words around the first difference', () => {
    const text = (length: number, end: string) => 'x'.repeat(length - end.length) + end
    const shown = (length: number) =>
      said(told({ description: text(length, 'a') }), told({ description: text(length, 'b') }))[0] ?? ''
    assert.equal(shown(300), `description: describes t as "${text(300, 'b')}", not as "${text(300, 'a')}"`)
    assert.equal(
      shown(301),
      `description: describes t as "…${'x'.repeat(40)}b", not as "…${'x'.repeat(40)}a"`,
    )
    const early =
      said(told({ description: `a${'x'.repeat(400)}` }), told({ description: `b${'x'.repeat(400)}` }))[0] ??
      ''
    assert.match(early, /describes t as "bx/)
    const [grown = ''] = said(told({ description: 'abc' }), told({ description: 'abcd' }))
    assert.equal(grown, 'description: describes t as "abcd", not as "abc"')
  })

  test('keeps a thousand characters of a description, and tells schemas apart by the files that they refer to', () => {
    const documents = (value: unknown) => new Map([['schemas/a.json', { value }]])
    const toldOf = (value: unknown, more: object) =>
      toldIn({ documents: documents(value) } as unknown as Agent)({ ...TOOL, ...more } as Tool)
    assert.equal(toldOf({}, { description: 'x'.repeat(1001) }).description.length, 1000)
    assert.equal('title' in toldOf({}, {}), false)
    const plain = { inputSchema: { type: 'object' } }
    assert.equal(toldOf({ a: 1 }, plain).schemas, toldOf({ a: 2 }, plain).schemas)
    const ref = { inputSchema: { $ref: 'schemas/a.json' } }
    assert.notEqual(toldOf({ a: 1 }, ref).schemas, toldOf({ a: 2 }, ref).schemas)
  })
})

describe('statements of which nothing is believed', () => {
  const trust = (more: object) => ({ policies: [], allowDev: false, ...more }) as unknown as TrustContext
  const envelopes = [{ where: 'line 1', bytes: Buffer.from('x') }]

  test('are not there where nothing came, and are named where there is no policy', () => {
    assert.deepEqual(inspectedStatements(undefined, trust({})), [])
    const attestations = { label: 'f', envelopes, problem: undefined }
    const [one, ...others] = inspectedStatements(undefined, trust({ attestations }))
    assert.deepEqual(others, [])
    assert.deepEqual(one, {
      where: 'line 1',
      type: null,
      by: [],
      result: 'not checked',
      detail: 'there is no trust policy',
    })
    assert.deepEqual(
      inspectedStatements(undefined, trust({ attestations, policies: [{ policy: undefined }] })),
      [one],
    )
  })

  test('has a file that was not read among them', () => {
    const attestations = { label: 'f', envelopes: [], problem: { why: 'limit', message: 'it is too large' } }
    assert.deepEqual(inspectedStatements(undefined, trust({ attestations })), [
      { where: 'f', type: null, by: [], result: 'not checked', detail: 'it is too large' },
    ])
  })

  test('by identities are beside them, and signatures by identities are not', () => {
    const keyless = {
      list: [
        { where: 'k1', states: {} },
        { where: 'k2', states: undefined },
      ],
    }
    const attestations = { label: 'f', envelopes: [], problem: undefined }
    const found = inspectedStatements(undefined, trust({ attestations, keyless }))
    assert.deepEqual(
      found.map(({ where }) => where),
      ['k1'],
    )
  })
})
