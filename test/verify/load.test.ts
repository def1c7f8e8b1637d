// The library: what loadBundle hands out is what was verified, and it hands out nothing else.
import assert from 'node:assert/strict'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { loadBundle, NotVerifiedError, RlpError, verifyBundle } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf, digestOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'

const TREE = agentTree({ files: { 'README.md': '# mini\n', 'docs/a.md': 'one', 'docs/b.md': 'two' } })
const BUNDLE = bundleOf(TREE)
const folderFor = temporary('load')
// The trust policy of the user who runs the tests has no say.
process.env['RUNLOOP_HOME'] = folderFor('home')

const any = { expect: 'any', allowUnsigned: true } as const

describe('the library hands out', () => {
  test('the same from a path, from bytes and from a folder', async () => {
    const folder = folderFor('load')
    writeFileSync(join(folder, 'x.agent.bundle'), BUNDLE)
    const sources = [
      join(folder, 'x.agent.bundle'),
      BUNDLE,
      new Uint8Array(BUNDLE),
      writeTree(join(folder, 'agent.bundle'), TREE),
    ]
    for (const source of sources) {
      const bundle = await loadBundle(source, { expect: 'mini', allowUnsigned: true })
      assert.deepEqual(bundle.agent, { name: 'mini', version: '1.0.0', kind: 'wasm32-wasip1' })
      assert.deepEqual([...bundle.paths].sort(), Object.keys(TREE).sort())
      for (const path of bundle.paths)
        assert.deepEqual(Buffer.from(bundle.bytes(path)), Buffer.from(TREE[path] as string))
      for (const path of ['none', '../x', 'toString', '__proto__', ''])
        assert.throws(() => bundle.bytes(path), RangeError)
      assert.deepEqual([bundle.tools, bundle.denied], [[], []])
    }
  })

  test('the verified bytes, whatever becomes of the file, the folder or the buffer', async () => {
    const folder = folderFor('replaced')
    const file = join(folder, 'x.agent.bundle')
    writeFileSync(file, BUNDLE)
    const unpacked = writeTree(join(folder, 'agent.bundle'), TREE)
    const buffer = Buffer.from(BUNDLE)
    const bundles = [
      await loadBundle(file, any),
      await loadBundle(unpacked, any),
      await loadBundle(buffer, any),
    ]
    writeFileSync(file, bundleOf(agentTree({ files: { 'docs/a.md': 'evil' } })))
    truncateSync(file, 10)
    writeFileSync(join(unpacked, 'docs/a.md'), 'evil')
    rmSync(join(unpacked, 'bin'), { recursive: true })
    buffer.fill(0)
    for (const bundle of bundles)
      for (const path of bundle.paths) assert.equal(digestOf(bundle.bytes(path)), digestOf(TREE[path] ?? ''))
  })

  test('to each caller what was verified, whatever the one before did to it', async () => {
    const bundle = await loadBundle(BUNDLE, any)
    bundle.bytes('docs/a.md').fill(0)
    assert.equal(digestOf(bundle.bytes('docs/a.md')), digestOf('one'))
  })

  test('nothing of a bundle that changes under way: what is read is what is judged', async () => {
    const buffer = Buffer.from(BUNDLE)
    const pending = loadBundle(buffer, any).then(
      bundle => digestOf(bundle.bytes('docs/a.md')),
      error => (error as NotVerifiedError).verdict,
    )
    buffer.fill(0x41, BUNDLE.indexOf('one\0'), BUNDLE.indexOf('one\0') + 3)
    assert.ok([digestOf('one'), 'invalid'].includes(await pending))
  })

  test('an error with verdict and report', async () => {
    const error = await loadBundle(bundleOf({ ...TREE, 'docs/a.md': 'x' }), any).then(
      () => assert.fail('it was loaded'),
      error => error,
    )
    assert.ok(error instanceof NotVerifiedError && error instanceof RlpError)
    assert.deepEqual(
      [error.code, error.verdict, error.report.verdict],
      ['NOT_VERIFIED', 'invalid', 'invalid'],
    )
    assert.match(
      error.message,
      /^Cannot load "<bytes>": invalid: manifest\.toml:\d+:\d+ The digest of docs\/a\.md is /,
    )
    assert.deepEqual(error.report.files.find(({ path }) => path === 'docs/a.md')?.result, 'mismatch')
  })

  test('nothing to a caller who leaves out the expectation', async () => {
    for (const options of [{ allowUnsigned: true }, { expect: undefined, allowUnsigned: true }])
      await assert.rejects(loadBundle(BUNDLE, options as never), { code: 'USAGE' })
  })

  test('nothing after an abort', async () => {
    for (const reason of [undefined, new Error('mine')]) {
      const signal = AbortSignal.abort(reason)
      await assert.rejects(loadBundle(BUNDLE, { ...any, signal }), { code: 'CANCELLED' })
      await assert.rejects(verifyBundle(writeTree(join(folderFor('abort'), 'x'), TREE), { ...any, signal }), {
        code: 'CANCELLED',
      })
    }
    const file = join(folderFor('abort'), 'large')
    const large = bundleOf(agentTree({ files: { large: Buffer.alloc(40_000_000) } }))
    writeFileSync(file, large)
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 1)
    await assert.rejects(loadBundle(file, { ...any, signal: stop.signal }), { code: 'CANCELLED' })
    assert.equal((await verifyBundle(file, any)).verdict, 'unsigned')
  })

  test('nothing beyond the limits that the caller sets', async () => {
    const sizes = Object.values(TREE).map(content => Buffer.from(content as string).length)
    const exact = {
      files: sizes.length,
      fileBytes: Math.max(...sizes),
      totalBytes: sizes.reduce((a, b) => a + b),
    }
    const folder = writeTree(join(folderFor('limits'), 'x'), TREE)
    for (const source of [BUNDLE, folder]) {
      assert.equal((await verifyBundle(source, { ...any, limits: exact })).verdict, 'unsigned')
      for (const [key, value] of Object.entries(exact)) {
        const limits = { ...exact, [key]: value - 1 }
        const { verdict, reasons } = await verifyBundle(source, { ...any, limits })
        assert.equal(verdict, 'invalid', `${key} ${typeof source}`)
        assert.match(reasons[0]?.message ?? '', /more than|larger than/)
      }
    }
  })

  test('the tools that policy.caps grants, and the names of the others', async () => {
    const tool = (id: string, transport: object, more: object = {}) => ({
      id,
      description: id,
      transport,
      input_schema: { type: 'object', additionalProperties: false },
      result_schema: { type: 'object', additionalProperties: false },
      ...more,
    })
    const all = [
      tool('jq.run', { kind: 'exec', command: '/usr/bin/jq' }),
      tool('sh.run', { kind: 'exec', command: '/bin/sh' }),
      tool('mail.send', { kind: 'http', method: 'POST', url: 'https://api.mail.example/send' }),
      tool('mail.other', { kind: 'http', method: 'POST', url: 'https://api.mail.example:8443/send' }),
      tool('clock.now', { kind: 'exec', command: '/usr/bin/jq' }, { capabilities: ['time'] }),
    ]
    const bytes = bundleOf(
      agentTree({
        files: {
          'policy.caps': '[capabilities]\nexec = ["/usr/bin/jq"]\nnet = ["api.mail.example"]\n',
          'tools.json': JSON.stringify({ version: 1, tools: all }),
        },
      }),
    )
    const bundle = await loadBundle(bytes, any)
    assert.deepEqual(
      bundle.tools.map(({ id }) => id),
      ['jq.run', 'mail.send'],
    )
    assert.deepEqual(bundle.denied, [
      { id: 'sh.run', capability: 'exec:/bin/sh', reason: 'cap_missing', by: 'policy.caps' },
      {
        id: 'mail.other',
        capability: 'net:api.mail.example:8443',
        reason: 'host_not_permitted',
        by: 'policy.caps',
      },
      { id: 'clock.now', capability: 'time', reason: 'cap_missing', by: 'policy.caps' },
    ])
  })
})
