// For any tree, and whatever program packed it: `pack` of the archive gives the very bytes that unpacking it by hand, `digest` and `pack` give.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { read } from '../../src/agent/read-agent.ts'
import { readTree } from '../../src/io/read/read-tree.ts'
import { digestManifest } from '../../src/pack/digest.ts'
import { packedBytes } from '../../src/pack/pack.ts'
import { agentTree, bundleOf, type Tree, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { bundleFrom, foreign, item, items, PACKERS, tarOf } from '../support/foreign.ts'
import { rlpHere } from '../support/here.ts'
import { collect } from '../support/memory.ts'
import { PYTHON } from '../support/python.ts'
import { upTo } from '../support/runs.ts'

const folderFor = temporary('foreign-same')
const name = fc
  .stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_+-]{0,30}$/)
  .filter(text => !/^(?:con|prn|aux|nul|signatures|manifest|bin|docs|lib)$/i.test(text))
const path = fc
  .tuple(fc.array(fc.constantFrom('docs', 'lib', 'deep-folder-that-is-long'), { maxLength: 5 }), name)
  .map(([folders, last]) => [...folders, `${last}.md`].join('/'))
const tree: fc.Arbitrary<Tree> = fc
  .uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 1600 })), {
    maxLength: 6,
    selector: ([path]) => path.toLowerCase(),
  })
  .map(files => {
    const all = agentTree()
    // Digests are left to be written: those of an archive cannot be corrected in place.
    return {
      ...all,
      ...Object.fromEntries(files),
      '.notes': 'left out',
      '.bundleignore': 'left\n',
      'left/x': 'x',
    }
  })

/** A path that is longer than 100 characters together with the agent's folder. */
const DEEP: Tree = {
  ...agentTree(),
  [`${'deep-folder-that-is-long/'.repeat(4)}0.md`]: '',
  '.notes': 'left out',
  '.bundleignore': 'left\n',
  'left/x': 'x',
}

/** The old header holds 99 characters of a path. GNU tar leaves a longer one out of the archive, and fails. */
const LONGEST: Readonly<Record<string, number>> = { 'GNU tar, v7': 99 }

/** By hand: the folder as it was before it was packed. */
async function byHand(folder: string): Promise<Buffer> {
  const agent = async () =>
    read(await readTree(folder, 'mini', { as: 'source', digest: 'all', hold: 'all' }), 'mini')
  writeFileSync(join(folder, 'manifest.toml'), digestManifest(await agent()).text)
  return collect(packedBytes(await agent()))
}

describe('the same bytes as by hand', () => {
  for (const [program, packed] of Object.entries(PACKERS)) {
    test(program, async t => {
      if (program.startsWith('Python') && spawnSync(PYTHON, ['--version']).status !== 0)
        return t.skip('Python is not here')
      const longest = LONGEST[program] ?? Number.POSITIVE_INFINITY
      const holds = (files: Tree) => Object.keys(files).every(path => `mini/${path}`.length <= longest)
      const trees = tree.filter(holds)
      await fc.assert(
        fc.asyncProperty(trees, fc.integer({ min: 1, max: 2_000_000_000 }), async (files, time) => {
          const cwd = folderFor('world')
          const folder = writeTree(join(cwd, 'mini'), files)
          mkdirSync(join(folder, 'empty'))
          utimesSync(join(folder, 'tools.json'), time + 0.25, time + 0.25)
          const out = join(cwd, 'out.tar')
          packed(cwd, 'mini', out)
          const bundle = await byHand(folder)
          assert.ok(bundle.length > 2048)
          assert.deepEqual(await bundleFrom(out), bundle)
          assert.deepEqual(await bundleFrom(readFileSync(out)), bundle)
        }),
        { numRuns: upTo(3, 6), examples: holds(DEEP) ? [[DEEP, 1]] : [] },
      )
    })
  }

  test('another agent inside stays out, and a file that is gone loses its digest', async () => {
    const files = {
      ...agentTree({ files: { gone: 'x' } }),
      'variants/pro/manifest.toml': 'x',
      'variants/pro/y': 'y',
    }
    const { gone, ...rest } = files as Tree
    assert.equal(gone, 'x')
    const { changes } = await foreign(tarOf(...items(rest)))
    assert.deepEqual(
      changes.map(({ path, after }) => [path, after]),
      [['gone', undefined]],
    )
    assert.deepEqual(
      await bundleFrom(tarOf(...items(rest))),
      await byHand(writeTree(join(folderFor('w'), 'mini'), rest)),
    )
  })
})

describe('rlp agent pack', () => {
  const files = agentTree({ files: { 'docs/a.md': 'x' } })
  const stale = { ...files, 'docs/a.md': 'changed' }

  test('of right digests writes the bundle, and no digest is mentioned', async () => {
    const cwd = folderFor('cli')
    writeFileSync(join(cwd, 'x.tar'), tarOf(...items(files)))
    const { exit, stdout, stderr } = await rlpHere(['agent', 'pack', 'x.tar'], { cwd })
    assert.deepEqual([exit, stderr], [0, ''])
    assert.doesNotMatch(stdout, /digest.* written/)
    assert.deepEqual(readFileSync(join(cwd, 'dist/mini-1.0.0.agent.bundle')), bundleOf(files))
  })

  test('of stale ones writes them, and says so', async () => {
    const cwd = folderFor('cli')
    writeFileSync(join(cwd, 'x.tar'), tarOf(...items(stale)))
    const { exit, stdout } = await rlpHere(['agent', 'pack', 'x.tar'], { cwd })
    assert.equal(exit, 0)
    assert.match(
      stdout,
      /1 digest written, which the archive’s manifest did not have:\n {2}docs\/a\.md {2}[0-9a-f]{12}… → [0-9a-f]{12}…\n/,
    )
    assert.deepEqual(
      readFileSync(join(cwd, 'dist/mini-1.0.0.agent.bundle')),
      bundleOf(agentTree({ files: { 'docs/a.md': 'changed' } })),
    )
    const json = await rlpHere(['agent', 'pack', 'x.tar', '--json'], { cwd })
    assert.deepEqual(
      JSON.parse(json.stdout).result.bundles[0].digests.map((one: { path: string }) => one.path),
      ['docs/a.md'],
    )
    assert.equal(
      (await rlpHere(['agent', 'pack', 'x.tar', '--check', 'dist/mini-1.0.0.agent.bundle'], { cwd })).exit,
      0,
    )
  })

  test('never writes over the archive, and unpacks nothing', async () => {
    const cwd = folderFor('cli')
    const bytes = tarOf(...items(files))
    writeFileSync(join(cwd, 'x.tar'), bytes)
    assert.match(
      (await rlpHere(['agent', 'pack', 'x.tar', '--out', 'x.tar', '--force'], { cwd })).stderr,
      /it is the archive that is packed/,
    )
    assert.deepEqual(readFileSync(join(cwd, 'x.tar')), bytes)
  })

  test('refuses what lint refuses, with its place, and leaves nothing behind', async () => {
    const cwd = folderFor('cli')
    const wrong = { ...files, 'policy.caps': '[capabilities]\nnet = 7\n' }
    writeFileSync(join(cwd, 'x.tar'), tarOf(...items(wrong)))
    const { exit, stderr } = await rlpHere(['agent', 'pack', 'x.tar'], { cwd })
    assert.equal(exit, 1)
    assert.match(
      stderr,
      /Cannot pack "x\.tar": policy\.caps:2:\d+ .*\nhint: Unpack it, and run rlp agent lint on the folder/,
    )
    assert.equal(spawnSync('ls', [cwd], { encoding: 'utf8' }).stdout, 'x.tar\n')
  })

  test('verify and install of the archive say that pack takes it', async () => {
    const cwd = folderFor('cli')
    writeFileSync(
      join(cwd, 'x.tar.gz'),
      tarOf(...items(files), item('some thing/l', '', { type: '2', link: 'x' })),
    )
    const verified = await rlpHere(['agent', 'verify', 'x.tar.gz'], { cwd })
    assert.equal(verified.exit, 1)
    assert.match(verified.stderr, /rlp agent pack x\.tar\.gz/)
    const installed = await rlpHere(['agent', 'install', 'x.tar.gz', '--root', 'r'], { cwd })
    assert.equal(installed.exit, 1)
    assert.match(installed.stderr, /rlp agent pack x\.tar\.gz/)
    writeFileSync(join(cwd, 'text'), 'hello '.repeat(1000))
    assert.doesNotMatch((await rlpHere(['agent', 'verify', 'text'], { cwd })).stderr, /rlp agent pack/)
  })
})
