// The same sources give the same bytes: whatever the machine, the user, the clock, the locale, the folder and the version of Node.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { agentTree, bundleOf, type Tree, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { isNeeded } from '../support/needs.ts'
import { IS_ROOT, NOBODY, type Ran, type RunOptions, rlp } from '../support/run.ts'
import { IN_CI } from '../support/runs.ts'

/** Names that sort differently by segment, by locale and without regard to case; one file too large to be held in memory. */
const TREE = agentTree({
  name: 'same',
  files: {
    'B.txt': 'b',
    'a.txt': 'a',
    _: 'under',
    'i/I.txt': 'Turkish has two of them',
    'I-2.txt': '2',
    'w.txt': 'Swedish has put it beside v',
    'v.txt': 'v',
    'schemas-old.txt': 'before the folder',
    'schemas/x.json': '{ "type": "object" }',
    'bin/tool.sh': '#!/bin/sh\n',
    empty: '',
    'large.bin': Buffer.alloc(300_000, 'large'),
  },
})
const EXPECTED = bundleOf(TREE)
const PLACES = [
  ['C', 'UTC'],
  ['tr_TR.UTF-8', 'Pacific/Kiritimati'],
  ['sv_SE.UTF-8', 'Asia/Kolkata'],
] as const
const POSIX = { skip: process.platform === 'win32' && 'needs a POSIX system' }

const folderFor = temporary('same')
const source = writeTree(join(folderFor('source'), 'same'), TREE)

/** Packs a folder, and gives the bytes that were written. */
async function packed(
  path: string,
  options: Partial<RunOptions> & { args?: string[] } = {},
  how: (args: readonly string[], options: RunOptions) => Promise<Ran> = rlpHere,
): Promise<Buffer> {
  const { args = [], ...rest } = options
  const out = folderFor('out')
  if (rest.uid !== undefined) chmodSync(out, 0o777)
  const ran = await how(['agent', 'pack', path, '--out-dir', out, ...args], { cwd: out, ...rest })
  assert.deepEqual([ran.exit, ran.signal, ran.stderr], [0, null, ''])
  const [name = '', ...more] = readdirSync(out)
  assert.deepEqual(more, [])
  return readFileSync(join(out, name))
}

/** The same in a process of its own, for what is settled when it begins. */
function packedApart(path: string, options: Partial<RunOptions> & { args?: string[] } = {}): Promise<Buffer> {
  return packed(path, options, rlp)
}

function assertSame(bytes: Buffer): void {
  // `deepEqual` would print 300,000 numbers.
  assert.equal(Buffer.compare(bytes, EXPECTED), 0, 'the bytes differ')
}

function written(part: string, tree: Tree, options: { mode?: number; date?: Date } = {}): string {
  const folder = writeTree(join(folderFor(part), 'same'), tree)
  for (const path of Object.keys(tree)) {
    if (options.mode !== undefined) chmodSync(join(folder, path), options.mode)
    if (options.date !== undefined) utimesSync(join(folder, path), options.date, options.date)
  }
  return folder
}

describe('the same bytes', () => {
  test('as the format says them', async () => assertSame(await packed(source)))

  test('and other bytes for other sources', async () => {
    const other = agentTree({ name: 'same', files: { 'a.txt': 'b' } })
    const bytes = await packed(written('other', other))
    assert.notEqual(Buffer.compare(bytes, EXPECTED), 0)
    assert.equal(Buffer.compare(bytes, bundleOf(other)), 0)
  })

  const names = Object.keys(TREE)
  const orders: Readonly<Record<string, string[]>> = {
    'from the last to the first': [...names].reverse(),
    'by length': [...names].sort((a, b) => a.length - b.length),
    'the manifest last': [...names.filter(name => name !== 'manifest.toml'), 'manifest.toml'],
  }
  for (const [what, order] of Object.entries(orders)) {
    test(`files created ${what}`, async () => {
      const tree = Object.fromEntries(order.map(path => [path, TREE[path] ?? '']))
      assertSame(await packed(written('order', tree)))
    })
  }

  for (const umask of ['000', '077']) {
    test(`umask ${umask}, for the sources and for the command`, POSIX, async () => {
      const folder = join(folderFor('umask'), 'same')
      execFileSync('/bin/sh', ['-c', `umask ${umask}; cp -R "$1" "$2"`, 'sh', source, folder])
      assertSame(await packed(folder, { umask }))
    })
  }

  for (const mode of [0o444, 0o600, 0o777]) {
    test(`files of mode ${mode.toString(8)}`, POSIX, async () => {
      assertSame(await packed(written('mode', TREE, { mode })))
    })
  }

  for (const date of ['1970-01-01T00:00:00Z', '2038-01-20T00:00:00Z', '2100-02-28T23:59:59Z']) {
    test(`files dated ${date}`, async () => {
      assertSame(await packed(written('date', TREE, { date: new Date(date) })))
    })
  }

  for (const [locale, TZ] of PLACES) {
    test(`locale ${locale} in ${TZ}`, async () => {
      assertSame(await packedApart(source, { env: { LANG: locale, LC_ALL: locale, LANGUAGE: locale, TZ } }))
    })
  }

  test('no environment at all', POSIX, async () => {
    const env = Object.fromEntries(Object.keys(process.env).map(name => [name, undefined]))
    assertSame(await packedApart(source, { env }))
  })

  test('another user', { skip: !IS_ROOT && 'only root can become another user' }, async () => {
    assertSame(await packedApart(source, { uid: NOBODY }))
  })

  test('a folder named absolutely, relatively, with slashes, dots and through a link', async () => {
    const parent = join(source, '..')
    const deep = join(source, 'schemas')
    const ways: [path: string, cwd: string][] = [
      [source, '/'],
      ['same', parent],
      ['same/', parent],
      ['same///', parent],
      ['./same/.', parent],
      ['same/../same', parent],
      ['..', deep],
      ['.', source],
      [relative(deep, source), deep],
    ]
    for (const [path, cwd] of ways) assertSame(await packed(path, { cwd: cwd === '/' ? parent : cwd }))
  })

  test('by its name, and without any argument', async () => {
    const project = folderFor('project')
    cpSync(source, join(project, 'agents/same'), { recursive: true })
    assertSame(await packed('same', { cwd: project }))
    const ran = await rlpHere(['agent', 'pack'], { cwd: project })
    assert.equal(ran.exit, 0, ran.stderr)
    assertSame(readFileSync(join(project, 'dist/same-1.0.0.agent.bundle')))
  })

  const here = statSync(source).dev
  const elsewhere = ['/dev/shm', '/var/tmp'].find(path => isWritable(path) && statSync(path).dev !== here)
  test('another file system', { skip: elsewhere === undefined && 'there is one alone' }, async () => {
    const folder = mkdtempSync(`${elsewhere}/rlp-`)
    try {
      assertSame(await packed(writeTree(join(folder, 'same'), TREE)))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('over an older bundle, and twice', async () => {
    const out = folderFor('twice')
    for (const path of [written('older', agentTree({ name: 'same' })), source, source]) {
      assert.equal((await rlpHere(['agent', 'pack', path, '--out-dir', out], { cwd: out })).exit, 0)
    }
    assertSame(readFileSync(join(out, 'same-1.0.0.agent.bundle')))
  })

  test('inside a gzip wrapper', async () => {
    const wrapped = await packed(source, { args: ['--gzip'] })
    assert.ok(wrapped.length < EXPECTED.length / 10)
    assertSame(gunzipSync(wrapped))
  })

  test('--check agrees', async () => {
    const bundle = join(folderFor('check'), 'same-1.0.0.agent.bundle')
    cpSync(source, bundle.replace(/\.agent.*/, ''), { recursive: true })
    assert.equal((await rlpHere(['agent', 'pack', source, '--out', bundle], { cwd: source })).exit, 0)
    const ran = await rlpHere(['agent', 'pack', source, '--check', bundle], { cwd: source })
    assert.deepEqual([ran.exit, ran.stderr], [0, ''])
  })
})

describe('the same digests', { concurrency: 2 }, () => {
  const undigested: Tree = {
    ...TREE,
    'manifest.toml': String(TREE['manifest.toml'])
      .replace(/\n\[artifacts[\s\S]*/, '')
      .replace(/[0-9a-f]{64}/, '0'.repeat(64)),
  }
  const texts = new Set<string>()

  for (const [locale] of PLACES) {
    test(`digest writes the same manifest, locale ${locale}`, async () => {
      const folder = written('digest', undigested)
      // A process takes the locale in which it begins; "C" needs none of its own.
      const ran = await (locale === 'C' ? rlpHere : rlp)(['agent', 'digest', folder], {
        cwd: folder,
        env: { LANG: locale, LC_ALL: locale },
      })
      assert.deepEqual([ran.exit, ran.stderr], [0, ''])
      const text = readFileSync(join(folder, 'manifest.toml'), 'utf8')
      assert.match(text, /\n\[artifacts\.files\]\n"?B\.txt"? = /)
      texts.add(text)
      assert.equal(texts.size, 1)
    })
  }
})

// In `.ci/run`: each takes a processor for half a second. Every test runs on one of them anyway.
describe('every Node', { concurrency: 2, skip: IN_CI ? false : 'RLP_TEST_RUNS=ci runs them' }, () => {
  const root = join(import.meta.dirname, '../../.nodes/node_modules')
  const installed = new Map(binaries(root).map(node => [majorOf(node), node]))

  for (const major of [20, 22, 24, 26]) {
    const node = installed.get(major)
    test(`Node ${major}`, async t => {
      if (node === undefined) {
        assert.ok(!isNeeded('nodes'), 'RLP_NEEDS names nodes')
        return t.skip(`no Node ${major} in .nodes/: run scripts/install-nodes.sh`)
      }
      assertSame(await packedApart(source, { node }))
      assertSame(gunzipSync(await packedApart(source, { node, args: ['--gzip'] })))
    })
  }

  test('no other Node is left out', { skip: installed.size === 0 && 'none is installed in .nodes/' }, () => {
    assert.deepEqual(
      [...installed.keys()].filter(major => ![20, 22, 24, 26].includes(major)),
      [],
    )
  })
})

function binaries(root: string): string[] {
  try {
    return readdirSync(root)
      .map(name => join(root, name, 'bin/node'))
      .filter(isExecutable)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function majorOf(node: string): number {
  return Number(/^v([0-9]+)\./.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[1])
}

function isExecutable(path: string): boolean {
  return can(path, constants.X_OK)
}

function isWritable(path: string): boolean {
  return can(path, constants.W_OK)
}

function can(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
