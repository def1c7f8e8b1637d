// A folder appears whole or not at all, and nothing else is ever touched.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { writeTree } from '../../../src/io/write/new-files.ts'
import { snapshot, temporary } from '../../support/folder.ts'
import { IS_ROOT, NOBODY } from '../../support/run.ts'

const folder = temporary('write-tree')
const FILES = new Map<string, string | Uint8Array>([
  ['a.txt', 'a'],
  ['bin/b.wasm', Uint8Array.of(0, 1, 2)],
  ['deep/er/c', 'zażółć'],
])

/** A signal that is aborted as soon as it has been asked for the `times`-th time. */
function abortedAfter(times: number): AbortSignal {
  const stop = new AbortController()
  let asked = 0
  return new Proxy(stop.signal, {
    get(signal, key) {
      if (key === 'aborted' && ++asked >= times) stop.abort()
      return Reflect.get(signal, key)
    },
  })
}

test('a new folder, with the parents that it needs', async () => {
  const root = folder('new')
  const target = join(root, 'x/y/demo')
  assert.deepEqual(await writeTree(target, FILES), [])
  assert.equal(readFileSync(join(target, 'deep/er/c'), 'utf8'), 'zażółć')
  assert.deepEqual([...readFileSync(join(target, 'bin/b.wasm'))], [0, 1, 2])
  assert.deepEqual(readdirSync(join(root, 'x/y')), ['demo'])
  assert.deepEqual(readdirSync(target).sort(), ['a.txt', 'bin', 'deep'])
})

test('an empty folder counts as not there', async () => {
  const target = join(folder('empty'), 'demo')
  mkdirSync(target)
  await writeTree(target, FILES)
  assert.equal(readFileSync(join(target, 'a.txt'), 'utf8'), 'a')
})

describe('what is there', () => {
  test('is not written into without force', async () => {
    const root = folder('there')
    const target = join(root, 'demo')
    mkdirSync(target)
    writeFileSync(join(target, 'mine'), 'x')
    const before = snapshot(root)
    await assert.rejects(writeTree(target, FILES, { label: 'agents/demo' }), {
      code: 'EXISTS',
      message: 'Cannot create "agents/demo": path already exists',
      hint: /--force/,
    })
    assert.deepEqual(snapshot(root), before)
  })

  test('is kept with force, but for the files of the same name', async () => {
    const root = folder('force')
    const target = join(root, 'demo')
    mkdirSync(join(target, 'bin'), { recursive: true })
    writeFileSync(join(target, 'mine'), 'x')
    writeFileSync(join(target, 'bin/mine'), 'y')
    writeFileSync(join(target, 'bin/b.wasm'), 'old')
    assert.deepEqual(await writeTree(target, FILES, { force: true }), ['bin/b.wasm'])
    assert.equal(readFileSync(join(target, 'mine'), 'utf8'), 'x')
    assert.equal(readFileSync(join(target, 'bin/mine'), 'utf8'), 'y')
    assert.deepEqual([...readFileSync(join(target, 'bin/b.wasm'))], [0, 1, 2])
    assert.deepEqual(readdirSync(root), ['demo'])
  })

  for (const force of [false, true]) {
    test(`a file or a link is no folder (force: ${force})`, async () => {
      const root = folder('file')
      mkdirSync(join(root, 'elsewhere'))
      writeFileSync(join(root, 'file'), 'x')
      symlinkSync('elsewhere', join(root, 'link'))
      symlinkSync('nowhere', join(root, 'dangling'))
      const before = snapshot(root)
      for (const name of ['file', 'link', 'dangling']) {
        const code = force ? 'WRONG_FILE_TYPE' : 'EXISTS'
        await assert.rejects(writeTree(join(root, name), FILES, { force }), { code })
      }
      assert.deepEqual(snapshot(root), before)
    })
  }

  test('a link inside the folder never leads out of it', async () => {
    const root = folder('link-inside')
    const target = join(root, 'demo')
    mkdirSync(target)
    mkdirSync(join(root, 'elsewhere'))
    symlinkSync('../elsewhere', join(target, 'bin'))
    const before = snapshot(root)
    await assert.rejects(writeTree(target, FILES, { force: true, label: 'demo' }), {
      code: 'WRONG_FILE_TYPE',
      message: 'Cannot write "demo/bin": it is not a folder',
    })
    assert.deepEqual(snapshot(root), before)
  })

  test('a link in place of a file is replaced, not followed', async () => {
    const root = folder('link-file')
    const target = join(root, 'demo')
    mkdirSync(target)
    writeFileSync(join(root, 'precious'), 'x')
    symlinkSync('../precious', join(target, 'a.txt'))
    assert.deepEqual(await writeTree(target, FILES, { force: true }), ['a.txt'])
    assert.equal(readFileSync(join(root, 'precious'), 'utf8'), 'x')
    assert.equal(readFileSync(join(target, 'a.txt'), 'utf8'), 'a')
  })

  test('a folder in place of a file stops it before anything is written', async () => {
    const root = folder('folder-file')
    const target = join(root, 'demo')
    mkdirSync(join(target, 'deep/er/c'), { recursive: true })
    const before = snapshot(root)
    await assert.rejects(writeTree(target, FILES, { force: true }), { code: 'WRONG_FILE_TYPE' })
    assert.deepEqual(snapshot(root), before)
  })
})

test('a folder that appears meanwhile is not replaced', async () => {
  const root = folder('race')
  const target = join(root, 'demo')
  const appear = () => {
    mkdirSync(target)
    writeFileSync(join(target, 'theirs'), 'x')
    return 'b'
  }
  // The second file's content is asked for while the first one is on disk already.
  const files = new Map<string, string>([['a', 'a']])
  const racing = Object.assign(new Map(files), {
    *[Symbol.iterator]() {
      yield ['a', 'a'] as [string, string]
      yield ['b', appear()] as [string, string]
    },
  })
  await assert.rejects(writeTree(target, racing), { code: 'EXISTS' })
  assert.deepEqual(readdirSync(root), ['demo'])
  assert.deepEqual(readdirSync(target), ['theirs'])
})

test('an abort at any moment leaves nothing, not even the parents', async () => {
  const root = folder('abort')
  const target = join(root, 'x/y/demo')
  let times = 1
  for (; ; times++) {
    try {
      await writeTree(target, FILES, { signal: abortedAfter(times) })
      break
    } catch (error) {
      assert.equal((error as { code: string }).code, 'CANCELLED')
      assert.deepEqual(readdirSync(root), [])
    }
  }
  // Before each of the files and before the rename.
  assert.equal(times, FILES.size + 2)
  assert.equal(readFileSync(join(target, 'a.txt'), 'utf8'), 'a')
})

test('a parent that is a file', async () => {
  const root = folder('parent-file')
  writeFileSync(join(root, 'file'), 'x')
  const before = snapshot(root)
  await assert.rejects(writeTree(join(root, 'file/demo'), FILES), { code: 'WRONG_FILE_TYPE' })
  assert.deepEqual(snapshot(root), before)
})

test('a parent that may not be written', { skip: !process.seteuid && 'no such users here' }, async () => {
  const root = folder('read-only')
  chmodSync(root, 0o555)
  const before = snapshot(root)
  if (IS_ROOT) process.seteuid?.(NOBODY)
  try {
    for (const target of ['demo', 'x/y/demo']) {
      await assert.rejects(writeTree(join(root, target), FILES), { code: 'NO_PERMISSION' })
    }
  } finally {
    if (IS_ROOT) process.seteuid?.(0)
  }
  assert.deepEqual(snapshot(root), before)
})

test('what a killed run left is removed, what a living one has is not', async () => {
  const root = folder('leftover')
  const names = {
    dead: '.demo.rlp-999999999-0123456789ab',
    alive: `.demo.rlp-${process.pid}-0123456789ab`,
    other: '.demo.rlp-x',
  }
  for (const name of Object.values(names)) {
    mkdirSync(join(root, name))
    writeFileSync(join(root, name, 'a'), 'x')
  }
  await writeTree(join(root, 'demo'), FILES)
  assert.deepEqual(readdirSync(root).sort(), [names.alive, names.other, 'demo'].sort())
})
