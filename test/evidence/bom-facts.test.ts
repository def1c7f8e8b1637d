// What a bill of materials says of each file, of a licence, and of an agent that lacks a part, each fact by itself.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bomOf, bomText, fileComponents, programComponents, services } from '../../src/evidence/bom.ts'
import type { Sound } from '../../src/evidence/verified.ts'
import type { Agent } from '../../src/model/agent.ts'
import { PARSE_LIMITS } from '../../src/model/limits.ts'
import { WASM } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'
import { importOf, MAGIC, section, type, vec } from '../support/wasm.ts'

interface Part {
  readonly name: string
  readonly 'mime-type'?: string
  readonly properties: readonly { readonly name: string; readonly value: string }[]
}

const facts = ({ properties }: Part) => properties.map(({ name, value }) => `${name.slice(4)} ${value}`)

describe('a file', () => {
  const part = (path: string, content: string | Uint8Array, size?: number) => {
    const files = memoryFiles({ [path]: content })
    const list = files.list.map(one => ({ ...one, size: size ?? one.size }))
    const manifest = { entries: [{ path: 'bin/a.wasm', role: 'entry_wasm' }] }
    const [made] = fileComponents({ files: { ...files, list }, manifest } as unknown as Agent)
    return made as unknown as Part
  }
  const importing = (count: number) => {
    const names = Array.from({ length: count }, (_, at) => importOf('env', `f${at}`))
    return Uint8Array.from([...MAGIC, ...section(1, vec([type([], [])])), ...section(2, vec(names))])
  }

  test('that the manifest names has its role, and no other has one', () => {
    assert.deepEqual(facts(part('bin/a.wasm', 'x')), ['bytes 1', 'role entry_wasm'])
    assert.deepEqual(facts(part('notes.txt', 'x')), ['bytes 1'])
  })

  test('that begins as a module is called one, of whatever version it is', () => {
    assert.equal(part('a', WASM)['mime-type'], 'application/wasm')
    const component = Uint8Array.from([...MAGIC.slice(0, 4), 0x0d, 0x00, 0x01, 0x00])
    assert.deepEqual(facts(part('a', component)), ['bytes 8', 'wasm:not-read it is a component'])
    assert.equal(part('a', component)['mime-type'], 'application/wasm')
    for (const other of [MAGIC.slice(0, 3), [0, 0x61, 0x73, 0x6e, 1, 0, 0, 0], []])
      assert.deepEqual(Object.keys(part('a', Uint8Array.from(other))).includes('mime-type'), false)
  })

  test('that is a damaged module says why it was not read', () => {
    const [, why] = facts(part('a', Uint8Array.from([...MAGIC, 1])))
    assert.match(why ?? '', /^wasm:not-read ./)
  })

  test('that is larger than what is looked into says so', () => {
    const most = PARSE_LIMITS.wasmBytes
    assert.deepEqual(facts(part('a', importing(1), most)), [`bytes ${most}`, 'wasm:import env f0 (function)'])
    assert.deepEqual(facts(part('a', importing(1), most + 1)), [
      `bytes ${most + 1}`,
      'wasm:not-read it is larger than what is looked into',
    ])
  })

  test('with ten thousand imports has them listed, and with one more counted', () => {
    assert.equal(facts(part('a', importing(10_000))).length, 10_001)
    assert.deepEqual(facts(part('a', importing(10_001))).slice(1), ['wasm:not-listed 10001 imports'])
  })
})

describe('an agent', () => {
  const bill = (agent: object, more: object = {}) =>
    bomOf({
      agent: { documents: new Map(), files: { list: [] }, ...agent },
      report: { verdict: 'unsigned', skipped: ['what was not checked'] },
      about: { file: undefined, manifest: { blake3: 'a'.repeat(64), sha256: '' } },
      ...more,
    } as unknown as Sound)
  const component = (agent: object, more: object = {}) =>
    (bill(agent, more)['metadata'] as { component: Part & Record<string, unknown> }).component
  const named = (variant?: string) => ({
    manifest: { name: 'mini', version: '1.0.0', kind: 'k', variant, entries: [] },
  })
  const licensed = (license: unknown, agent: unknown = { license }) => {
    const documents = new Map([['manifest.toml', { value: { agent } }]])
    return component({ ...named(), documents })['licenses'] as readonly object[] | undefined
  }

  test('is called by its name, and by its variant if it has one', () => {
    assert.equal(component(named()).name, 'mini')
    assert.equal(component(named('pro')).name, 'mini@pro')
  })

  test('has the digest of its file, where there is a file', () => {
    const about = { file: { name: 'f', sha256: 'b'.repeat(64) }, manifest: { blake3: 'a'.repeat(64) } }
    assert.deepEqual(component(named(), { about })['hashes'], [{ alg: 'SHA-256', content: 'b'.repeat(64) }])
    assert.equal('hashes' in component(named()), false)
  })

  test('has a licence of up to a thousand characters, if it is a text', () => {
    assert.equal(licensed('x '.repeat(500))?.length, 1)
    assert.deepEqual(licensed('MIT'), [{ expression: 'MIT', acknowledgement: 'declared' }])
    for (const other of ['', 7, undefined, ['MIT'], `${'x '.repeat(500)}x`])
      assert.equal(licensed(other), undefined)
    assert.equal(licensed('MIT', 'no table'), undefined)
  })

  test('whose policy and tools cannot be read has neither in its bill', () => {
    assert.deepEqual(facts(component(named())), [`identity blake3:${'a'.repeat(64)}`, 'kind k'])
  })

  test('has a bill of version 1, with what was not checked, in JSON that people can read', () => {
    const made = bill(named())
    assert.equal(made['version'], 1)
    const { properties } = made['metadata'] as Part
    assert.deepEqual(facts({ properties } as Part), ['verdict unsigned', 'not-checked what was not checked'])
    assert.equal(bomText(made), `${JSON.stringify(made, null, 2)}\n`)
  })
})

describe('what tools use', () => {
  const http = (id: string, url: string, secrets: readonly string[] = []) => ({
    id,
    secrets,
    transport: { kind: 'http', method: 'GET', url, headers: {} },
  })
  const exec = (id: string, command: string) => ({
    id,
    secrets: [],
    rlp: {},
    transport: { kind: 'exec', command, args: [] },
  })
  const agent = (tools: readonly object[], policy: object = {}) =>
    ({ tools: { tools }, policy: { net: { hosts: [] }, exec: [], ...policy } }) as unknown as Agent

  test('is a service or a program, and never both', () => {
    const both = agent([http('a', 'https://h.example/x'), exec('b', '/bin/b')])
    assert.deepEqual(
      services(both).map(one => one['name']),
      ['h.example:443'],
    )
    assert.deepEqual(
      programComponents(both).map(one => one['name']),
      ['/bin/b'],
    )
  })

  test('of two tools with one host is one service, which any secret makes one with a login', () => {
    const [first, ...others] = services(
      agent([http('a', 'https://h.example/x'), http('b', 'https://h.example/y', ['S'])]),
    )
    assert.deepEqual(others, [])
    assert.deepEqual(first?.['endpoints'], ['https://h.example:443/x', 'https://h.example:443/y'])
    assert.equal(first?.['authenticated'], true)
    assert.equal(services(agent([http('a', 'https://h.example/x')]))[0]?.['authenticated'], false)
  })

  test('is granted by name where policy.caps lists programs, and not where it grants all', () => {
    const run = (exec: unknown) => programComponents(agent([], { exec })).map(one => one['name'])
    assert.deepEqual(run(['/bin/b', '/bin/a']), ['/bin/a', '/bin/b'])
    assert.deepEqual(run(true), [])
  })

  test('a grant that names no host in a known form is listed beside those that are called', () => {
    const granted = agent([http('a', 'https://h.example/x')], {
      net: { hosts: ['h.example:99999', 'h.example'] },
    })
    assert.deepEqual(
      services(granted).map(one => one['name']),
      ['h.example:443', 'h.example:99999'],
    )
  })
})
