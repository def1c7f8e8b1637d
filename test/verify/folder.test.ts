// Unpacked bundles: a folder is taken as it is, and whatever is not a listed plain file makes it invalid.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { verifyBundle } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf, type Tree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'

const TREE = agentTree({ files: { 'README.md': '# mini\n', 'docs/a.md': 'one', 'docs/b.md': 'two' } })
const BUNDLE = bundleOf(TREE)
const folderFor = temporary('verify-folder')
// The trust policy of the user who runs the tests has no say.
process.env['RUNLOOP_HOME'] = folderFor('home')

const any = { expect: 'any', allowUnsigned: true } as const

const verdictOf = async (folder: string) => (await verifyBundle(folder, any)).verdict

describe('an unpacked bundle', () => {
  const unpacked = (tree: Tree = TREE) => writeTree(join(folderFor('unpacked'), 'agent.bundle'), tree)

  test('as it was packed is the same bundle', async () => {
    const report = await verifyBundle(unpacked(), any)
    assert.deepEqual([report.form, report.verdict], ['directory', 'unsigned'])
    const packed = await verifyBundle(BUNDLE, any)
    assert.deepEqual({ ...report, target: '', form: '' }, { ...packed, target: '', form: '' })
  })

  const harm: [what: string, do_: (folder: string) => void][] = [
    ['a dot file', folder => writeFileSync(join(folder, '.hidden'), '')],
    ['a dot file in a folder', folder => writeFileSync(join(folder, 'docs/.DS_Store'), 'x')],
    [
      'an ignore file, which ignores nothing here',
      folder => writeFileSync(join(folder, '.bundleignore'), '*\n'),
    ],
    ['a dot folder', folder => mkdirSync(join(folder, '.git/objects'), { recursive: true })],
    ['an empty folder', folder => mkdirSync(join(folder, 'empty'))],
    ['an empty folder in a folder', folder => mkdirSync(join(folder, 'docs/empty'))],
    ['an empty SIGNATURES folder', folder => mkdirSync(join(folder, 'SIGNATURES'))],
    ['an unlisted file', folder => writeFileSync(join(folder, 'more'), '')],
    ['a name that may not be', folder => writeFileSync(join(folder, 'a b'), '')],
    ['a missing file', folder => rmSync(join(folder, 'docs/a.md'))],
    ['a changed file', folder => writeFileSync(join(folder, 'docs/a.md'), 'One')],
    [
      'a link in the place of a file, with the same content',
      folder => {
        renameSync(join(folder, 'docs/a.md'), join(folder, '../a.md'))
        symlinkSync('../../a.md', join(folder, 'docs/a.md'))
      },
    ],
    [
      'a link in the place of a folder, with the same files',
      folder => {
        renameSync(join(folder, 'docs'), join(folder, '../docs'))
        symlinkSync('../docs', join(folder, 'docs'))
      },
    ],
    ['a dangling link', folder => symlinkSync('nowhere', join(folder, 'link'))],
    ['a link to itself', folder => symlinkSync('.', join(folder, 'link'))],
  ]
  for (const [what, do_] of harm) {
    test(`with ${what} is invalid`, async () => {
      const folder = unpacked()
      assert.equal(await verdictOf(folder), 'unsigned')
      do_(folder)
      assert.equal(await verdictOf(folder), 'invalid')
    })
  }

  test('through a link that the caller names', async () => {
    const link = join(folderFor('linked'), 'link')
    symlinkSync(unpacked(), link)
    assert.equal(await verdictOf(link), 'unsigned')
  })
})

describe('a folder that an author works in', () => {
  const PACK_IT =
    /^This is a source, an agent’s folder without SIGNATURES\/: pack it with rlp agent pack \S+, and use the bundle$/
  const inFolder = (name: string, tree: Tree = TREE) => writeTree(join(folderFor('source'), name), tree)
  const withTests = { ...TREE, 'tests/a.json': '{}' }
  const say = (...args: string[]) => run(args, undefined, { cwd: folderFor('say') })

  test('is packed, and neither got again nor given places for its tests', async () => {
    for (const [tree, verdict] of [
      [TREE, 'unsigned'],
      [withTests, 'invalid'],
    ] as const) {
      const folder = inFolder('mini', tree)
      const report = await verifyBundle(folder, any)
      assert.equal(report.verdict, verdict)
      for (const { hint } of report.reasons) assert.match(hint ?? '', PACK_IT)
      const { stdout } = await say('agent', 'verify', folder)
      const text = stdout.replaceAll(/\s+/g, ' ')
      assert.match(text, new RegExp(`${verdict} hint: This is a source, `))
      assert.doesNotMatch(text, /Get it again|Do not use it|its place is/)
      const installed = await say('agent', 'install', folder)
      assert.match(installed.stderr, /^hint: This is a source, .*: pack it/m)
    }
  })

  test('is not signed', async () => {
    for (const tree of [TREE, withTests]) {
      const folder = inFolder('mini', tree)
      const { exit, stderr } = await say('agent', 'sign', folder, '--export-payload', 'x')
      assert.equal(exit, 2)
      assert.match(
        stderr,
        /: this is a source, not a bundle\nhint: Pack it with rlp agent pack \S+, and sign the bundle\./,
      )
    }
    const unpacked = inFolder('agent.bundle')
    assert.equal((await say('agent', 'sign', unpacked, '--export-payload', 'x')).exit, 0)
  })

  test('is not what a damaged bundle in a folder is', async () => {
    const [first] = (await verifyBundle(inFolder('agent.bundle', withTests), any)).reasons
    assert.match(first?.message ?? '', / No digest names tests\/a\.json$/)
    assert.equal(first?.hint, undefined)
  })
})
