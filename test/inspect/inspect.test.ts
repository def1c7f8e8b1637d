// rlp agent inspect: the verdict first, then everything that is in a bundle; and the overrides that every report lists.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { blake3Hex } from '../../src/bundle/blake3.ts'
import { type InspectResult, loadBundle, NotVerifiedError } from '../../src/library/generated/index.ts'
import { writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { made, madeTree, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { upTo } from '../support/runs.ts'
import { ASKING, judge, signed } from '../support/trust-world.ts'

const folder = temporary('inspect')
const RUN = {
  id: 'text.run',
  description: 'Runs.',
  transport: { kind: 'exec', command: '/bin/x', args: ['-a'] },
  input_schema: { $ref: 'schema:in.v1' },
  result_schema: true,
}
const FACTS = {
  caps: 'exec = ["/bin/x"]\n',
  files: {
    'tools.json': JSON.stringify({ version: 1, tools: [RUN] }),
    'schemas/in.v1.json': '{"type":"object"}',
  },
}
const OVERRIDE = '[capabilities]\nexec = false\n'

function override(here: World, text: string, name = 'mini'): string {
  const path = join(here.home, `policy-overrides/${name}/policy.caps`)
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileSync(path, text, { mode: 0o644 })
  return path
}

async function inspect(here: World, ...args: string[]) {
  const { exit, envelope } = await here.rlp('agent', 'inspect', ...args)
  return { exit, code: envelope.code, shown: (envelope.result ?? {}) as unknown as InspectResult }
}

describe('what is shown', () => {
  test('of a signed bundle, packed, inflated, unpacked and installed', async () => {
    const here = world(folder('forms'))
    const bytes = made(FACTS, RELEASE, STRANGER)
    here.put('packed', bytes)
    here.put('packed.gz', gzipSync(bytes))
    writeTree(join(here.cwd, 'agent.bundle'), madeTree(FACTS))
    await here.install('packed', '--yes')
    const NEED = { capability: 'exec:/bin/x', from: 'implied', granted: true, reason: null, by: null }
    for (const [name, verdict, anchors] of [
      ['packed', 'trusted', [[], ['release']]],
      ['packed.gz', 'trusted', [[], ['release']]],
      ['agent.bundle', 'unsigned', []],
      ['mini', 'trusted', [[], ['release']]],
    ] as const) {
      const { exit, shown } = await inspect(here, name)
      assert.deepEqual([exit, shown.report.verdict], [0, verdict], name)
      assert.deepEqual(shown.signers.map(({ anchors }) => anchors).sort(), anchors, name)
      assert.deepEqual([shown.tools?.[0]?.exposed, shown.tools?.[0]?.needs], [true, [NEED]], name)
      assert.deepEqual(shown.schemas, ['schemas/in.v1.json'])
    }
  })

  test('exits 1 for an invalid bundle, 3 for what cannot be read, and 2 for several', async () => {
    const here = world(folder('exits'))
    const bytes = made(FACTS)
    here.put('good', bytes)
    const changed = Buffer.from(bytes)
    changed.write('/bin/y', changed.indexOf('/bin/x'))
    here.put('bad', changed)
    mkdirSync(join(here.cwd, 'dist'))
    for (const name of ['a', 'b']) here.put(`dist/${name}.agent.bundle`, bytes)
    assert.equal((await inspect(here, 'good')).exit, 0)
    const bad = await inspect(here, 'bad')
    assert.deepEqual([bad.exit, bad.shown.report.verdict, bad.shown.tools?.length], [1, 'invalid', 1])
    const missing = await inspect(here, 'nowhere')
    assert.deepEqual(
      [missing.exit, missing.shown.report.verdict, missing.shown.tools],
      [3, 'indeterminate', null],
    )
    const several = await inspect(here, 'dist')
    assert.deepEqual([several.exit, several.code], [2, 'USAGE'])
  })

  test('of any damaged bundle: something, and never a crash', async () => {
    const here = world(folder('hostile'))
    const bytes = made(FACTS, RELEASE)
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.nat(255),
        fc.nat(bytes.length),
        async (at, byte, length) => {
          const damaged = Buffer.from(bytes)
          damaged[at] = byte
          here.put('damaged', byte % 4 === 0 ? damaged.subarray(0, length) : damaged)
          for (const args of [
            ['inspect', 'damaged'],
            ['diff', 'damaged', 'damaged'],
          ]) {
            const { exit, stderr } = await here.say('agent', ...args)
            assert.ok([0, 1, 3].includes(exit), `${exit} ${stderr}`)
            assert.doesNotMatch(stderr, /Internal error/)
          }
        },
      ),
      { numRuns: upTo(30, 60), seed: 11 },
    )
  })
})

describe('overrides in a report', () => {
  const file = (text: string) => ({ label: 'o.caps', for: 'mini', bytes: Buffer.from(text) })

  test('each is listed with its digest and what selected it, and changes no verdict', async () => {
    const tree = signed(ASKING, 'release')
    assert.deepEqual((await judge(tree)).report.overrides, [])
    const { report } = await judge(tree, { overrides: [file(OVERRIDE)] })
    assert.equal(report.verdict, 'trusted')
    const digest = blake3Hex(Buffer.from(OVERRIDE))
    assert.deepEqual(report.overrides, [{ path: 'o.caps', digest, key: 'mini' }])
  })

  for (const [what, one, digest] of [
    ['malformed', file('[capabilities]\nexce = false\n'), true],
    ['one that others may write', { label: 'o.caps', for: 'mini', problem: 'others may write it' }, false],
  ] as const) {
    test(`${what}: what is left is unknown, signed or not`, async () => {
      for (const tree of [signed(ASKING, 'release'), ASKING]) {
        const { report, bundle } = await judge(tree, { overrides: [one], allowUnsigned: true })
        assert.deepEqual(
          [report.verdict, report.reasons[0]?.code, bundle],
          ['indeterminate', 'override_unusable', undefined],
        )
        assert.deepEqual(
          [report.overrides[0]?.path, report.overrides[0]?.digest !== null],
          ['o.caps', digest],
        )
      }
    })
  }

  test('on disk: verify, inspect and load see the same', async () => {
    const here = world(folder('disk'))
    const path = override(here, OVERRIDE)
    override(here, '[capabilities]\nnonsense = 1\n', 'other')
    here.put('b', made(FACTS, RELEASE))
    const verified = async () => (await here.rlp('agent', 'verify', 'b')).envelope.result?.bundles?.[0]
    const report = await verified()
    assert.deepEqual([report?.verdict, report?.overrides.map(({ key }) => key)], ['trusted', ['mini']])
    const { shown } = await inspect(here, 'b')
    assert.deepEqual([shown.tools?.[0]?.exposed, shown.report.overrides.length], [false, 1])
    const text = (await here.say('agent', 'verify', 'b')).stdout
    assert.match(text, /override of policy\.caps for mini: .*policy\.caps blake3:/)
    const loaded = await loadBundle(join(here.cwd, 'b'), { expect: 'mini' })
    assert.deepEqual(
      [loaded.tools.length, loaded.denied[0]?.id, loaded.report.overrides.length],
      [0, 'text.run', 1],
    )
    chmodSync(path, 0o666)
    assert.equal((await verified())?.verdict, 'indeterminate')
    await assert.rejects(
      loadBundle(join(here.cwd, 'b'), { expect: 'mini' }),
      error => error instanceof NotVerifiedError && error.verdict === 'indeterminate',
    )
  })
})
