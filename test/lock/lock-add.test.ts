// Which bundles go into a lock together, what a killed change has left, and references that cannot be read.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pinnedTarget, sourceOf, targetOf } from '../../src/lock/locked-source.ts'
import { temporary } from '../support/folder.ts'
import { good, lockOf, made, RELEASE, world } from '../support/install-world.ts'

const folder = temporary('lock-add')

test('one bundle under two names is one agent; two contents of one agent cannot both be meant', async () => {
  const here = world(folder('twice'))
  here.put('a.bundle', made({}, RELEASE))
  here.put('b.bundle', made({}, RELEASE))
  here.put('c.bundle', made({ files: { 'README.md': 'x' } }, RELEASE))
  const { exit, envelope } = await here.rlp('lock', 'add', 'a.bundle', 'c.bundle')
  assert.deepEqual([exit, envelope.code], [2, 'USAGE'])
  assert.throws(() => lockOf(here), /ENOENT/)
  await good(here, 'lock', 'add', 'a.bundle', 'b.bundle')
  assert.match(lockOf(here), /\[agents\.mini\]\nsource = "\.\/[ab]\.bundle"\n/)
})

test('what a killed change has left is cleared away, also where nothing changes', async () => {
  const here = world(folder('left'))
  here.put('mini.agent.bundle', made({}, RELEASE))
  await good(here, 'lock', 'add', 'mini.agent.bundle')
  const left = join(here.cwd, 'rlp.lock.lock')
  for (const words of [['add', 'mini.agent.bundle'], ['update']]) {
    // Of an earlier process with the number of this one.
    writeFileSync(left, `${process.pid} ${'0'.repeat(16)} ${hostname()}\n`)
    const before = readFileSync(join(here.cwd, 'rlp.lock'), 'utf8')
    await good(here, 'lock', ...words)
    assert.deepEqual([existsSync(left), lockOf(here)], [false, before], words[0])
  }
})

test('a reference that cannot be read stays as it is, for what reads it to say so', async () => {
  const bad = 'oci://registry.example/UPPER'
  assert.equal(sourceOf({ path: bad, label: bad }, '/work', 'mini@^1').source, bad)
  assert.equal((await targetOf(bad, '/work', [])).path, bad)
  const target = { path: bad, label: bad }
  assert.deepEqual(pinnedTarget(target, `sha256:${'a'.repeat(64)}`), target)
})

test('a digest that the lock pins takes the place of a tag, and is nothing to a file', () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const pinned = (path: string, oci: string | undefined) => pinnedTarget({ path, label: 'x' }, oci).path
  assert.equal(pinned('oci://r.example/mini:1', digest), `oci://r.example/mini:1@${digest}`)
  assert.equal(pinned('oci-layout:/store:1', digest), `oci-layout:/store:1@${digest}`)
  assert.equal(pinned('oci://r.example/mini:1', undefined), 'oci://r.example/mini:1')
  const own = `oci://r.example/mini@sha256:${'b'.repeat(64)}`
  assert.equal(pinned(own, undefined), own)
  assert.equal(pinned('/a.bundle', digest), '/a.bundle')
})

test('a lock gets a name with its first bundle or later, and keeps it', async () => {
  const here = world(folder('name'))
  here.put('mini.agent.bundle', made({}, RELEASE))
  const nothing = await here.rlp('lock', 'add')
  assert.deepEqual([nothing.exit, nothing.envelope.code], [2, 'USAGE'])
  const bad = await here.rlp('lock', 'add', '--name', 'Mail-House')
  assert.deepEqual([bad.exit, bad.envelope.hint], [2, 'Write mail_house'])
  await good(here, 'lock', 'add', 'mini.agent.bundle')
  const before = lockOf(here)
  assert.equal((await good(here, 'lock', 'add', '--name', 'mail', '--dry-run'))['changed'], true)
  assert.equal(lockOf(here), before)
  assert.equal((await good(here, 'lock', 'add', '--name', 'mail'))['changed'], true)
  assert.equal(lockOf(here), before.replace('version = 1\n', 'version = 1\nname = "mail"\n'))
  assert.equal((await good(here, 'lock', 'add', 'mini.agent.bundle', '--name', 'mail'))['changed'], false)
  const other = await here.rlp('lock', 'add', '--name', 'sales')
  assert.deepEqual([other.exit, other.envelope.code], [2, 'EXISTS'])
  assert.equal((await good(here, 'lock', 'list'))['name'], 'mail')
  await good(here, 'lock', 'update')
  await good(here, 'lock', 'remove', 'mini')
  assert.equal(lockOf(here), 'version = 1\nname = "mail"\n')
})
