// How a lock names what is locked, where that is found again, and where an annotation of a pipeline points.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockGithub } from '../../src/lock/formats/github.ts'
import { rootsBy } from '../../src/lock/inputs.ts'
import { sourceOf, targetOf } from '../../src/lock/locked-source.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('lock-place')

test('a path counts from the folder of the lock, a name and a reference stay as they are', () => {
  const source = (path: string, reference?: string) =>
    sourceOf({ path, label: 'x', ...(reference && { reference }) }, '/work/deploy', undefined).source
  assert.equal(source('/work/deploy/a.bundle'), './a.bundle')
  assert.equal(source('/work/deploy/in/a.bundle'), './in/a.bundle')
  assert.equal(source('/work/a.bundle'), '../a.bundle')
  assert.equal(source('/work'), '..')
  assert.equal(source('/work/deploy/..a.bundle'), './..a.bundle')
  assert.equal(source('/work/agents/mini.agent.bundle', 'mini'), 'mini')
  assert.equal(source('oci://r.example/mini:1'), 'oci://r.example/mini:1')
  assert.equal(source('oci-layout:/work/store:1'), 'oci-layout:../store:1')
})

test('a range is kept with a repository, and not with what names one bundle', () => {
  const from = (path: string) => sourceOf({ path, label: 'x' }, '/work/deploy', 'mini@^1')
  assert.deepEqual(from('oci://r.example/mini'), { source: 'oci://r.example/mini', expect: 'mini@^1' })
  assert.deepEqual(from('oci-layout:/work/store'), { source: 'oci-layout:../store', expect: 'mini@^1' })
  for (const path of ['oci://r.example/mini:1', '/work/deploy/a.bundle'])
    assert.equal(from(path).expect, undefined)
})

test('and is found from there again: a name where it is installed', async () => {
  const path = folder('roots')
  const roots = [{ path, label: 'agents' }]
  writeFileSync(join(path, 'mini.agent.bundle'), '')
  const target = async (source: string) => (await targetOf(source, '/work/deploy', roots)).path
  assert.equal(await target('../a.bundle'), '/work/a.bundle')
  assert.equal(await target('mini'), join(path, 'mini.agent.bundle'))
  assert.equal(await target('other'), '/work/deploy/other')
  assert.equal(await target('oci://r.example/mini:1'), 'oci://r.example/mini:1')
  assert.equal(await target('oci-layout:../store:1'), 'oci-layout:/work/store:1')
})

test('names are looked up in one root, below a home, in the usual ones, or nowhere', async () => {
  const cwd = folder('given')
  mkdirSync(join(cwd, 'home/agents'), { recursive: true })
  const places = async (asked: { root?: string; home?: string | false }) =>
    (await rootsBy({ root: undefined, home: undefined, ...asked }, { cwd } as never)).map(({ path }) => path)
  assert.deepEqual(await places({ root: join(cwd, 'r'), home: join(cwd, 'home') }), [join(cwd, 'r')])
  assert.deepEqual(await places({ home: join(cwd, 'home') }), [join(cwd, 'home/agents')])
  assert.deepEqual(await places({ home: false }), [])
  process.env['RUNLOOP_HOME'] = join(cwd, 'other')
  const usual = await places({})
  assert.equal(usual[0], join(cwd, 'other/agents'))
  assert.ok(usual.length > 1)
})

test('an annotation names the lock from the checkout, if this step is in it', () => {
  const row = { agent: 'mini', is: 'changed', details: [], line: 3 }
  const at = (workspace: string | undefined, cwd = '/work/step') => {
    const env = workspace === undefined ? {} : { GITHUB_WORKSPACE: workspace }
    const checked = { agents: [row, { ...row, is: 'same' }] }
    const text = lockGithub.render({ checked, path: '/work/step/rlp.lock' } as never, { cwd, env } as never)
    return /^::error file=([^,]*),line=3,[^\n]*\n$/.exec(text)?.[1]
  }
  assert.equal(at(undefined), 'rlp.lock')
  assert.equal(at('/work'), 'step/rlp.lock')
  assert.equal(at('/work/step'), 'rlp.lock')
  for (const other of ['/elsewhere', '/work/step/below', 'work']) assert.equal(at(other), 'rlp.lock', other)
  assert.equal(at('/work', '/work/..step'), 'step/rlp.lock')
})
