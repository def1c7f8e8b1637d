// What a verb hands out cannot be changed, and what it was handed counts as it was at the call.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { types } from 'node:util'
import { FixedMap, frozen } from '../../src/model/frozen.ts'
import {
  argumentsOf,
  BUNDLE,
  callVerb,
  closeOpened,
  EVERY_VERB,
  type Here,
  makeWorld,
  READS,
  signer,
  TRUST_POLICY,
  type World,
} from '../support/every-verb.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import { KEYS } from '../support/trust-world.ts'
import { FUNCTION_OPTIONS } from '../support/verbs.ts'

const folder = temporary('handed-out')
const NAMES = Object.keys(EVERY_VERB)
const judged = { expect: 'mini', trustPolicy: TRUST_POLICY, home: false } as const
let world: World
before(async () => {
  world = await makeWorld(folder('world'))
})
after(closeOpened)

const OTHER = Symbol('other')

/** The places in a value that could be changed. Each is tried, in every way there is, and put back. */
function changeable(root: unknown): string[] {
  const places: string[] = []
  const seen = new Set<unknown>()
  const visit = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    const live = (how: string) => void places.push(`${at} (${how})`)
    if (
      Reflect.defineProperty(value, 'added', { value: 1, configurable: true }) &&
      Reflect.deleteProperty(value, 'added')
    )
      live('added')
    const kind = Reflect.getPrototypeOf(value)
    if (Reflect.setPrototypeOf(value, {}) && Reflect.setPrototypeOf(value, kind)) live('prototype')
    if (types.isMap(value)) live('map')
    if (types.isSet(value)) live('set')
    if (types.isDate(value)) live('date')
    if (types.isAnyArrayBuffer(value) || ArrayBuffer.isView(value)) {
      live('bytes')
      return
    }
    for (const name of Reflect.ownKeys(value)) {
      if (Array.isArray(value) && name === 'length') continue
      const was = Reflect.getOwnPropertyDescriptor(value, name)
      if (Reflect.set(value, name, OTHER)) live(`${String(name)} set`)
      if (Reflect.defineProperty(value, name, { value: OTHER })) live(`${String(name)} defined`)
      if (Reflect.deleteProperty(value, name)) live(`${String(name)} deleted`)
      if (was !== undefined) Reflect.defineProperty(value, name, was)
    }
    if (Array.isArray(value)) {
      try {
        value.push(OTHER)
        value.pop()
        live('pushed')
      } catch (error) {
        assert.ok(error instanceof TypeError)
      }
    }
    for (const name of namesOf(value)) visit(Reflect.get(value, name), `${at}.${String(name)}`)
    if (value instanceof FixedMap) for (const [key, member] of value) visit(member, `${at}[${String(key)}]`)
  }
  visit(root, '')
  return places
}

/** Its own members, and what its class computes. */
function namesOf(value: object): (string | symbol)[] {
  const own = Reflect.ownKeys(value)
  const kind: object | null = Array.isArray(value) ? null : Object.getPrototypeOf(value)
  if (kind === null || kind === Object.prototype) return own
  const computed = Object.entries(Object.getOwnPropertyDescriptors(kind)).filter(
    ([, { get }]) => get !== undefined,
  )
  return [...own, ...computed.map(([name]) => name)]
}

/** Functions in an answer: what they give is tried by hand below. */
function functionsIn(value: unknown, at = '', seen = new Set<unknown>()): string[] {
  if (typeof value === 'function') return [at]
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  return Reflect.ownKeys(value).flatMap(name =>
    functionsIn(Reflect.get(value, name), `${at}.${String(name)}`, seen),
  )
}

/** The same for every call of the same thing. */
function textOf(value: unknown, { cwd }: Here): string {
  return (
    JSON.stringify(value instanceof Error ? { ...value, message: value.message } : (value ?? null))
      .replaceAll(cwd, '<cwd>')
      .replaceAll(/"durationMs":\d+/g, '"durationMs":0')
      // A new key is another one each time.
      .replaceAll(/"name":"fresh","anchor":"[^"]+"/g, '"name":"fresh"')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
  )
}

test('the walks below know every verb', () => {
  // What newLedger makes is for calls to count in: it has nothing else to change. toAgentcliContent gives a text.
  const others = ['newLedger', 'toAgentcliContent']
  const verbs = Object.entries(rlp).flatMap(([name, value]) =>
    typeof value === 'function' && !/^class\b/.test(String(value)) && !others.includes(name) ? [name] : [],
  )
  assert.deepEqual(Object.keys(rlp.newLedger()), ['is'])
  assert.deepEqual([...NAMES].sort(), verbs.sort())
  assert.deepEqual(
    NAMES.filter(name => name !== 'loadAgentcliTools').sort(),
    Object.keys(FUNCTION_OPTIONS).sort(),
  )
})

/** What these open goes on, and is asked by functions. */
const FUNCTIONS: { readonly [name: string]: readonly string[] } = {
  loadBundle: ['.bytes'],
  openGate: ['.ask', '.close'],
}

describe('every verb', () => {
  for (const name of NAMES) {
    test(`${name}: its answer cannot be changed, and what it is given counts as it was at the call`, async () => {
      const one = await world.fresh()
      const answer = await callVerb(name, argumentsOf(name, one))
      const expected = textOf(answer, one)
      assert.deepEqual(changeable(answer), [])
      // The walk looks: in a copy it finds a place in every object.
      const copy: unknown = JSON.parse(expected)
      assert.equal(changeable(copy).length > 0, typeof answer === 'object')
      assert.deepEqual(functionsIn(answer), FUNCTIONS[name] ?? [])
      assert.equal(textOf(answer, one), expected)
      const written = await world.written()
      assert.equal(written.length === 0, READS.includes(name), `${name} has written ${written}`)
      // The second answer is the same, although the caller changes everything that he handed in.
      const given = argumentsOf(name, await world.fresh())
      const pending = callVerb(name, given)
      spoil(given)
      assert.equal(textOf(await pending, one), expected)
      // Before the call a change counts.
      const before = argumentsOf(name, await world.fresh())
      spoil(before)
      const spoiled: unknown = await callVerb(name, before).catch(error => error)
      assert.notEqual(textOf(spoiled, one), expected)
    })
  }
})

describe('what is handed out', () => {
  test('is more than one object, and holds what the walk looks for', async () => {
    const { loaded } = await world.fresh()
    const live: unknown = structuredClone({ ...loaded, bytes: undefined, safety: undefined })
    const places = changeable({ live, map: new Map(), bytes: new Uint8Array(1), date: new Date(0) })
    for (const place of [
      '.live.tools.0 (requiresConfirmation set)',
      '.live.tools.0.transport (command set)',
      '.live.tools.0.inputSchema.properties.mark (type deleted)',
      '.live.tools (pushed)',
      '.live.policy.exec (pushed)',
      '.live.report.reasons (added)',
      '.map (map)',
      '.bytes (bytes)',
      '.date (date)',
    ])
      assert.ok(places.includes(place), place)
    assert.equal(loaded.safety.size, 1)
    assert.ok(loaded.safety.get('ask.mark') !== undefined)
    assert.throws(() => Map.prototype.set.call(loaded.safety, 'ask.mark', {}), TypeError)
  })

  test('of bytes is a copy each time, also of a folder', async () => {
    const { cwd, loaded } = await world.fresh()
    const unpacked = await rlp.loadBundle(join(cwd, 'mini'), {
      expect: 'mini',
      allowUnsigned: true,
      home: false,
    })
    for (const bundle of [loaded, unpacked]) {
      for (const path of bundle.paths) {
        const was = Buffer.from(bundle.bytes(path)).toString('hex')
        new Uint8Array(bundle.bytes(path).buffer).fill(0)
        assert.equal(Buffer.from(bundle.bytes(path)).toString('hex'), was, path)
      }
    }
  })

  test('to decide a call decides it as it was verified', async () => {
    const { cwd, loaded } = await world.fresh()
    const [, tool] = loaded.tools
    assert.equal(tool?.id, 'ask.mark')
    const tries = [
      () => Object.assign(tool ?? {}, { requiresConfirmation: false }),
      () => Object.assign(tool?.transport ?? {}, { command: '/bin/true' }),
      () => (loaded.tools as rlp.Tool[]).splice(0, 1),
      () => Object.assign(loaded, { tools: [] }),
      () => Object.assign(loaded.report, { verdict: 'trusted' }),
    ]
    for (const change of tries) assert.throws(change, TypeError)
    const mark = join(cwd, 'ran')
    const { envelope } = await rlp.callTool(loaded, 'ask.mark', { mark })
    assert.deepEqual([envelope.ok, envelope.ok || envelope['reason']], [false, 'nobody_to_ask'])
    assert.equal(existsSync(mark), false)
    const asked = await rlp.callTool(
      loaded,
      'ask.mark',
      { mark },
      { confirm: async () => 'approved', sandbox: 'off' },
    )
    assert.deepEqual([asked.by, asked.envelope.ok], ['tool', true])
    assert.equal(existsSync(mark), true)
  })

  test('to the caller’s own functions cannot be changed either', async () => {
    const { cwd, loaded } = await world.fresh()
    const shown: unknown[] = []
    const show = (value: unknown) => void shown.push(value)
    const files: unknown[] = []
    await rlp.callTool(
      loaded,
      'ask.mark',
      { mark: join(cwd, 'ran') },
      {
        confirm: async question => {
          show(question)
          files.push(question.agent.fileAt('tools.json'), question.agent.fileAt('interfaces.json'))
          return 'approved'
        },
      },
    )
    await rlp.install('signed', {
      cwd,
      home: 'home',
      trustPolicy: TRUST_POLICY,
      expect: 'mini',
      onProgress: show,
      mayBegin: offer => {
        show(offer)
        return true
      },
    })
    assert.ok(shown.length >= 3)
    assert.ok(files.every(file => typeof file === 'object'))
    assert.deepEqual([...shown, ...files].flatMap(changeable), [])
    // A signer that changes what it signs changes nothing that is checked.
    const own = signer('release')
    const sign = async (message: Uint8Array) => {
      const signature = await own.sign(message)
      message.fill(0)
      return signature
    }
    assert.equal((await rlp.sign('unsigned', { cwd, key: { ...own, sign } })).signer, KEYS.release.anchor)
  })

  test('with an error cannot be changed', async () => {
    const { cwd } = await world.fresh()
    const given = {
      cwd,
      home: 'home',
      trustPolicy: TRUST_POLICY,
      lock: 'there.lock',
      expect: 'mini',
    } as const
    await rlp
      .install('next', { ...given, lock: undefined as never, mayBegin: () => true })
      .catch(error => error)
    const errors: unknown[] = await Promise.all([
      rlp
        .loadBundle(BUNDLE, { expect: 'other', trustPolicy: TRUST_POLICY, home: false })
        .catch(error => error),
      rlp
        .install('signed', { cwd, home: 'home', trustPolicy: TRUST_POLICY, expect: 'other' })
        .catch(error => error),
      rlp
        .lockUpdate({
          cwd,
          home: false,
          trustPolicy: TRUST_POLICY,
          lock: 'there.lock',
          bundles: ['unsigned'],
        })
        .catch(error => error),
      rlp.loadAgentcliTools({ text: '{"tools":[{}]}', directory: '/' }).catch(error => error),
    ])
    for (const error of errors) {
      assert.ok(error instanceof rlp.RlpError, String(error))
      const said = Object.values(error).filter(value => typeof value === 'object' && value !== null)
      assert.ok(said.length > 0, error.message)
      assert.deepEqual(said.flatMap(changeable), [])
    }
  })

  test('as a table cannot be changed: ERRORS, VERDICTS and those of AgentTool', () => {
    const values = [...Object.entries(rlp), ...Object.entries(rlp.AgentTool)].filter(
      ([name, value]) => typeof value !== 'function' && name !== 'AgentTool',
    )
    assert.ok(values.length >= 8)
    for (const [name, value] of values) assert.deepEqual(changeable(value), [], name)
  })
})

test('frozen refuses what it cannot freeze, and only it freezes', () => {
  for (const open of [new Map(), new Set(), new Date(), new Uint8Array(1), { in: [new Map()] }])
    assert.throws(() => frozen(open), TypeError)
  const freezing = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    path =>
      path.endsWith('.ts') &&
      /Object\.(?:freeze|seal|preventExtensions)\(/.test(readFileSync(join('src', path), 'utf8')),
  )
  // What is frozen elsewhere, and not to its leaves, would be passed over.
  assert.deepEqual(freezing, ['model/frozen.ts'])
})

test('frozen reaches every own member once, and nothing that is inherited', () => {
  const shared = { deep: [{ deeper: { leaf: 1 } }] }
  const plain: Record<string, unknown> = { a: shared, b: [shared, [shared], null, 'text', undefined] }
  plain['self'] = plain
  const bare = Object.assign(Object.create(null) as object, { plain, own: { leaf: 2 } })
  const held = { of: 'a class' }
  const inherited = { held }
  const child = Object.create(inherited, {
    own: { value: { leaf: 3 }, enumerable: true },
    hidden: { value: { leaf: 4 }, enumerable: false },
  }) as { own: object; hidden: object }
  const polluted = { every: 'object' }
  Object.defineProperty(Object.prototype, 'polluted', {
    value: polluted,
    enumerable: true,
    configurable: true,
  })
  try {
    const root = { bare, child }
    assert.equal(frozen(root), root)
  } finally {
    Reflect.deleteProperty(Object.prototype, 'polluted')
  }
  assert.deepEqual(changeable(bare), [])
  for (const inside of [shared, shared.deep, shared.deep[0]?.deeper, plain, bare, child, child.own])
    assert.ok(Object.isFrozen(inside))
  for (const outside of [inherited, held, polluted, child.hidden]) assert.ok(!Object.isFrozen(outside))
})

/** Changes everything that a caller still holds after a call. */
function spoil(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value) || Object.isFrozen(value)) return
  if (value instanceof AbortSignal || value instanceof Writable || Symbol.asyncIterator in value) return
  seen.add(value)
  if (types.isUint8Array(value)) value.fill(0x41)
  else if (types.isAnyArrayBuffer(value)) new Uint8Array(value).fill(0x41)
  else if (types.isDate(value)) value.setFullYear(1971)
  else if (value instanceof URL) value.href = 'file:///spoiled'
  else {
    for (const name of Reflect.ownKeys(value)) {
      spoil(Reflect.get(value, name), seen)
      if (name !== 'length') Reflect.set(value, name, 'spoiled')
    }
    if (Array.isArray(value)) value.length = 0
  }
}

describe('what is handed in', () => {
  test('in a buffer that a stream uses again counts as it came', async () => {
    async function* reusing() {
      const buffer = Buffer.alloc(1)
      for (const byte of BUNDLE) {
        buffer[0] = byte
        yield buffer
      }
    }
    assert.equal((await rlp.verifyBundle(reusing(), judged)).verdict, 'trusted')
  })

  test('as a signer may be an object of a class', async () => {
    class Service {
      #count = 0
      readonly key = signer('release').key
      readonly client: object = {
        get never() {
          throw new Error('it is not asked')
        },
      }
      async sign(message: Uint8Array) {
        this.#count++
        return signer('release').sign(message)
      }
      get count() {
        return this.#count
      }
    }
    const { cwd } = await world.fresh()
    const key = new Service()
    assert.equal((await rlp.sign('unsigned', { cwd, key })).signer, KEYS.release.anchor)
    assert.equal(key.count, 1)
  })

  test('with members of any name counts, and what nests too deeply is refused', async () => {
    const { cwd } = await world.fresh()
    const properties = JSON.parse(
      '{"constructor":{"type":"string"},"__proto__":{"type":"string"},"href":{"type":"string"},"protocol":{"type":"string"}}',
    )
    const tool = {
      id: 'a.b',
      description: 'A',
      requiresConfirmation: false,
      tags: [],
      capabilities: [],
      secrets: [],
      schemaRefs: {},
      budget: undefined,
      rlp: { stdin: false, timeoutMs: undefined, env: [] },
    }
    const transport = { kind: 'exec', command: '/bin/true', args: [] } as never
    const tools = [{ ...tool, transport, inputSchema: { type: 'object', properties }, resultSchema: true }]
    const { path } = await rlp.scaffold('named', { cwd, tools })
    const written = JSON.parse(readFileSync(join(path, 'tools.json'), 'utf8'))
    assert.deepEqual(Object.keys(written.tools[0].input_schema.properties), [
      'constructor',
      '__proto__',
      'href',
      'protocol',
    ])
    let deep: unknown = true
    for (let depth = 0; depth < 2000; depth++) deep = [deep]
    await assert.rejects(rlp.verifyBundle(BUNDLE, { ...judged, trustPolicy: deep as never }), {
      code: 'USAGE',
      message: /nests too deeply/,
    })
  })
})

const SIGNALLED = NAMES.filter(name => name !== 'loadAgentcliTools')
test('every verb but that without options takes a signal', () => {
  assert.deepEqual(
    SIGNALLED.filter(name => !FUNCTION_OPTIONS[name]?.includes('signal')),
    [],
  )
})
