// A bundle in the caller's hands: every verb that takes one takes a path, a url, bytes, a stream, a reference and what `loadBundle` gave, and says the same of it.
import assert from 'node:assert/strict'
import { createReadStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { agentTree, bundleOf, type Tree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import { clientEnd, Pipe } from '../support/mcp.ts'
import { ASKING, KEYS, POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('library-given')
const TREE = signed(ASKING, 'release')
const NAME = 'mini-1.0.0.agent.bundle'
const STATE = { trustPolicy: POLICY, state: false } as const

async function ways(cwd: string) {
  const path = join(cwd, NAME)
  writeFileSync(path, bundleOf(TREE))
  const bytes = new Uint8Array(readFileSync(path))
  const to = `oci-layout:${join(cwd, 'store')}`
  await rlp.push(path, to)
  const all: Record<string, () => Promise<Parameters<typeof rlp.inspect>[0]>> = {
    'a path': async () => path,
    'a url': async () => pathToFileURL(path),
    bytes: async () => bytes,
    'an ArrayBuffer': async () => bytes.slice().buffer,
    'a stream': async () => createReadStream(path, { highWaterMark: 999 }),
    'a reference': async () => `${to}:1.0.0`,
    'a loaded bundle': () => rlp.loadBundle(path, { expect: 'mini', ...STATE }),
  }
  return Object.entries(all)
}

describe('a bundle of every kind', () => {
  test('is inspected and compared', async () => {
    for (const [what, given] of await ways(folder('inspect'))) {
      const seen = await rlp.inspect(await given(), STATE)
      assert.deepEqual([seen.report.verdict, seen.wrong], ['trusted', undefined], what)
      const { widened, files, before, after } = await rlp.diff(await given(), await given(), STATE)
      assert.deepEqual([widened, before.verdict, after.verdict], [[], 'trusted', 'trusted'], what)
      assert.ok(files !== undefined)
    }
  })

  test('is exported, and served', async () => {
    for (const [what, given] of await ways(folder('export'))) {
      const options = { ...STATE, expect: 'mini' }
      const { document, verdict } = await rlp.exportTools(await given(), { ...options, to: 'mcp' })
      assert.deepEqual([verdict, document], ['trusted', { tools: [] }], what)
      const [up, down] = [new Pipe(), new Pipe()]
      const served = rlp.serveTools([await given()], {
        ...STATE,
        expect: ['mini'],
        input: up,
        output: down,
      })
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(clientEnd(up, down).transport)
      assert.deepEqual((await client.listTools()).tools, [], what)
      await client.close()
      await served
    }
  })

  test('is installed, byte for byte', async () => {
    const at = folder('install')
    for (const [what, given] of await ways(at)) {
      const home = join(at, what)
      mkdirSync(home, { mode: 0o700 })
      const options = { home, trustPolicy: POLICY, expect: 'mini', mayBegin: () => true }
      const planned = await rlp.install(await given(), { ...options, dryRun: true })
      assert.equal(planned.changed, true, what)
      const { bundle, changed } = await rlp.install(await given(), options)
      assert.deepEqual([changed, readFileSync(bundle)], [true, bundleOf(TREE)], what)
      assert.equal((await rlp.install(await given(), options)).changed, false, what)
    }
  })

  test('that is not trusted is refused, and leaves nothing behind', async () => {
    const at = folder('refused')
    const home = join(at, 'home')
    mkdirSync(home, { mode: 0o700 })
    const bytes = new Uint8Array(bundleOf(TREE))
    const loaded = await rlp.loadBundle(bytes, { expect: 'mini', ...STATE })
    const revoked = `${POLICY}\n[revoked]\n"${KEYS.release.anchor}" = { reason = "lost" }\n`
    for (const given of [bytes, loaded]) {
      const options = { home, trustPolicy: revoked, expect: 'mini', mayBegin: () => true }
      await assert.rejects(rlp.install(given, options), { code: 'NOT_VERIFIED' })
      const answered = { ...STATE, trustPolicy: revoked, expect: 'mini', to: 'mcp' } as const
      await assert.rejects(rlp.exportTools(given, answered), { code: 'NOT_VERIFIED' })
    }
    for (const no of [{ ...loaded }, {}, null, 5, { report: {} }])
      await assert.rejects(rlp.inspect(no as never, STATE), { code: 'USAGE' })
  })
})

test('a loaded bundle says what a runtime starts', async () => {
  const manifest = '[ports]\nin = ["text"]\nout = ["answer", "log"]\n[schemas.with]\ntype = "object"\n'
  const plain = bundleOf(TREE)
  const loaded = await rlp.loadBundle(plain, { expect: 'mini', ...STATE })
  assert.deepEqual(loaded.ports, { in: [], out: [] })
  assert.deepEqual([loaded.schemas.with, loaded.schemas.files.size], [undefined, 0])
  assert.ok(loaded.bytes(loaded.entry.path).length > 0)
  const tree: Tree = agentTree({ name: 'mini', files: { 'schemas/a.json': '{"type":"string"}' } })
  const rich = bundleOf({ ...tree, 'manifest.toml': `${tree['manifest.toml']}${manifest}` })
  const alone = { expect: 'mini', home: false, allowUnsigned: true } as const
  const all = await rlp.loadBundle(rich, alone)
  assert.deepEqual(all.ports, { in: ['text'], out: ['answer', 'log'] })
  assert.deepEqual(
    [all.schemas.with, all.schemas.files.get('schemas/a.json')],
    [{ type: 'object' }, { type: 'string' }],
  )
  assert.throws(() => (all.ports.in as string[]).push('x'), TypeError)
  assert.throws(() => Object.assign(all.schemas.with as object, { type: 'x' }), TypeError)
})
