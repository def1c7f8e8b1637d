// Between its verdict and its place a bundle is on the disk, not in memory: what gets into place is what was verified, or nothing.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { install } from '../../src/library/generated/index.ts'
import { RlpError } from '../../src/model/error.ts'
import { writeTree } from '../support/agent.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { contents, made, madeTree, RELEASE, type World, world } from '../support/install-world.ts'
import { putInStead } from '../support/layout-content.ts'
import { slice } from '../support/runs.ts'
import { signedTree } from '../support/signed.ts'

const folderFor = temporary('incoming')

// Larger than a piece that is read at once.
const SIZE = 1_200_000
const FILES = { 'data.bin': Buffer.alloc(SIZE, 7), 'bin/run': '#!/bin/sh\n', 'docs/a.md': 'a' }
const BUNDLE = made({ files: FILES }, RELEASE)
const OTHER = made({ files: { ...FILES, 'data.bin': Buffer.alloc(SIZE, 8) } }, RELEASE)

/** Installs, and lets something happen after the verdict, when a person would be asked. */
async function installing(here: World, source: string, meanwhile: () => void, signal?: AbortSignal) {
  process.env['RUNLOOP_HOME'] = here.home
  const options = {
    cwd: here.cwd,
    home: here.home,
    root: here.root,
    expect: 'mini',
    ...(signal && { signal }),
  }
  const mayBegin = () => {
    meanwhile()
    return true
  }
  try {
    return { installed: await install(source, { ...options, mayBegin }) }
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return { error }
  }
}

/** The folder of the draft, while there is one. */
function draft(here: World): string {
  const own = join(here.root, '.rlp')
  const found = readdirSync(own).filter(name => name.startsWith('.draft.'))
  assert.equal(found.length, 1)
  return join(own, found[0] ?? '')
}

function flip(path: string): void {
  const bytes = readFileSync(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

const SOURCES: readonly (readonly [
  what: string,
  put: (here: World) => Promise<string> | string,
  at: (here: World) => string,
])[] = [
  ['a file', here => here.put('b', BUNDLE), here => join(here.cwd, 'b')],
  ['a gzip file', here => here.put('b', gzipSync(BUNDLE)), here => join(here.cwd, 'b')],
  [
    'a folder',
    here => {
      writeTree(join(here.cwd, 'agent.bundle'), signedTree(madeTree({ files: FILES }), [RELEASE]))
      return 'agent.bundle'
    },
    here => join(here.cwd, 'agent.bundle/data.bin'),
  ],
  [
    'a reference',
    async here => {
      assert.equal((await here.rlp('agent', 'push', here.put('b', BUNDLE), 'oci-layout:store')).exit, 0)
      return 'oci-layout:store:1.0.0'
    },
    here => join(draft(here), 'bundle'),
  ],
]

const CHANGES: readonly (readonly [how: string, change: (path: string) => void])[] = [
  ['has one other bit', flip],
  ['is cut off', path => truncateSync(path, statSync(path).size - 1_000)],
  ['is longer', path => appendFileSync(path, 'x'.repeat(1024))],
  [
    'is another by its name',
    path => {
      const isArchive = path.endsWith('b') || path.endsWith('bundle')
      writeFileSync(`${path}.next`, isArchive ? OTHER : Buffer.alloc(SIZE, 8))
      renameSync(`${path}.next`, path)
    },
  ],
  ['is empty', path => truncateSync(path, 0)],
]

/** In every run of the tests every other change of each source, in `.ci/run` all. */
const CHANGED = slice(
  SOURCES.flatMap(([what]) => CHANGES.map(([how, change]) => ({ what, how, change }))),
  2,
  ({ what }) => what,
)

for (const [what, put, at] of SOURCES) {
  describe(what, () => {
    test('is installed as it was verified', async () => {
      const here = world(folderFor('whole'))
      const { installed } = await installing(here, await put(here), () => {})
      assert.equal(installed?.version, '1.0.0')
      const found = contents(here.root)
      assert.equal(found['mini.agent.bundle'], BUNDLE.toString('latin1'))
      assert.equal(found['mini/data.bin'], FILES['data.bin'].toString('latin1'))
      assert.deepEqual(readdirSync(join(here.root, '.rlp')), ['stamps'])
      const modes = ['mini.agent.bundle', 'mini/bin/run', 'mini/docs/a.md'].map(
        path => statSync(join(here.root, path)).mode & 0o777,
      )
      assert.deepEqual(modes, [0o644, 0o755, 0o644])
      assert.equal((await here.rlp('agent', 'verify', 'mini')).exit, 0)
    })

    for (const { how, change } of CHANGED.filter(one => one.what === what)) {
      test(`that ${how} after its verdict is refused, and nothing is left`, async () => {
        const here = world(folderFor('changed'))
        const source = await put(here)
        // The question finds what it is for.
        const before = here.root
        const { error } = await installing(here, source, () => change(at(here)))
        assert.equal(error?.code, 'CHANGED_WHILE_READING', error?.message)
        assert.ok(!existsSync(before), JSON.stringify(existsSync(before) && Object.keys(contents(before))))
        const state = join(here.home, 'state/mini.json')
        assert.ok(!existsSync(state) || here.state().installs.length + here.state().pending.length === 0)
      })
    }

    test('that is refused by its verdict, or by the person, leaves what is there', async () => {
      const here = world(folderFor('refused'))
      await here.install(here.put('old', made({}, RELEASE)), '--yes')
      const before = contents(here.root)
      const source = await put(here)
      assert.equal((await here.install(source, '--expect', 'other', '--yes')).exit, 1)
      assert.deepEqual(contents(here.root), before)
      assert.deepEqual(readdirSync(join(here.root, '.rlp')), ['stamps'])
    })

    test('that is refused by its verdict, or has no yes, makes no root', async () => {
      const here = world(folderFor('no-root'))
      const source = await put(here)
      assert.equal((await here.install(source, '--expect', 'other', '--yes')).exit, 1)
      assert.equal((await here.install(source, '--expect', 'mini')).exit, 2)
      assert.ok(!existsSync(here.root))
    })

    test('whose install is cancelled leaves nothing', async () => {
      const here = world(folderFor('cancelled'))
      const source = await put(here)
      const { signal, stop } = (() => {
        const controller = new AbortController()
        return { signal: controller.signal, stop: () => controller.abort() }
      })()
      const { error } = await installing(here, source, stop, signal)
      assert.equal(error?.code, 'CANCELLED', error?.message)
      assert.ok(!existsSync(here.root))
    })
  })
}

test('a file or a folder writes nothing before its verdict', async () => {
  const here = world(folderFor('before'))
  await here.install(here.put('b', BUNDLE), '--yes')
  const before = snapshot(here.root)
  assert.equal((await here.install(here.put('c', made({ version: '1.1.0' })), '--yes')).exit, 1)
  assert.equal((await here.install('b')).envelope.ok, true)
  assert.deepEqual(snapshot(here.root), before)
})

test('a draft is in a folder that is closed to others, and a killed process leaves it only until the next run', async () => {
  const here = world(folderFor('left'))
  const source = await (SOURCES[3]?.[1] ?? assert.fail())(here)
  let mode = 0
  const { installed } = await installing(here, source, () => {
    mode = statSync(draft(here)).mode & 0o777
  })
  assert.deepEqual([mode, installed?.changed], [0o700, true])
  const left = join(here.root, '.rlp/.draft.rlp-999999999-0123456789ab')
  const own = () => readdirSync(join(here.root, '.rlp'))
  for (const args of [
    ['install', source, '--expect', 'mini'],
    ['install', source, '--expect', 'other'],
    ['install', here.put('n', made({ version: '1.2.0' }, RELEASE)), '--yes'],
    ['uninstall', 'mini', '--yes'],
  ]) {
    mkdirSync(left)
    writeFileSync(join(left, 'bundle'), 'half')
    await here.rlp('agent', ...args)
    assert.deepEqual(own(), ['stamps'], args.join(' '))
  }
})

test('signatures that were added are installed with it', async () => {
  const here = world(folderFor('merged'))
  const source = await (SOURCES[3]?.[1] ?? assert.fail())(here)
  await here.say('key', 'generate', 'mine', '--no-passphrase')
  assert.equal((await here.say('trust', 'add', 'mine', 'mine')).exit, 0)
  assert.equal((await here.rlp('agent', 'sign', source, '--key', 'mine', '--expect', 'mini@1.0.0')).exit, 0)
  const { installed } = await installing(here, source, () => {})
  assert.equal(installed?.report.signatures.length, 2)
  const alone = await here.rlp('agent', 'verify', 'mini')
  assert.equal(alone.envelope.result?.bundles?.[0]?.signatures.length, 2)
  assert.equal((await here.install(source, '--expect', 'mini')).envelope.result?.['changed'], false)
})

test('what about an archive is not canonical is said of a file alone', async () => {
  const here = world(folderFor('foreign'))
  writeTree(join(here.cwd, 'x/agent.bundle'), madeTree())
  assert.equal(spawnSync('tar', ['-cf', 'b', '-C', 'x', 'agent.bundle'], { cwd: here.cwd }).status, 0)
  const foreign = readFileSync(join(here.cwd, 'b'))
  here.put('good', made({}, RELEASE))
  assert.equal((await here.rlp('agent', 'push', 'good', 'oci-layout:store')).exit, 0)
  putInStead(join(here.cwd, 'store'), foreign)
  for (const [source, isSaid] of [
    ['b', true],
    ['oci-layout:store:1.0.0', false],
  ] as const) {
    const { exit, envelope } = await here.install(source, '--expect', 'mini', '--yes')
    assert.deepEqual([exit, envelope.reason, 'foreign' in envelope], [1, 'invalid', isSaid], source)
  }
  assert.ok(!existsSync(here.root))
})
