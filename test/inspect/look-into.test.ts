// What one argument names: a bundle, an installed agent, or a folder that an author works in.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isSource, oneAgent, oneTarget } from '../../src/inspect/look-into.ts'
import { inspect } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { RELEASE } from '../support/install-world.ts'
import { signedTree } from '../support/signed.ts'

const folder = temporary('look-into')
const signal = new AbortController().signal

function world() {
  const cwd = folder('cwd')
  const path = join(cwd, 'agents')
  mkdirSync(path, { mode: 0o755 })
  writeFileSync(join(path, 'mini.agent.bundle'), bundleOf(agentTree()))
  const io = { cwd, signal, env: {}, async *stdin() {} }
  return { cwd, io, roots: [{ path, label: 'agents' }] }
}

test('a name is an installed agent; one that is not installed is a typing error; a path is taken as it is', async () => {
  const { cwd, io, roots } = world()
  const found = await oneAgent('call', 'mini', io, roots)
  assert.equal(found.path, join(cwd, 'agents/mini.agent.bundle'))
  await assert.rejects(oneAgent('call', 'other', io, roots), {
    code: 'NOT_FOUND',
    message: 'Cannot call "other": no agent of this name is installed',
    hint: 'rlp agent list shows what is (searched: agents). A bundle is named by its path',
  })
  assert.equal((await oneAgent('call', './other', io, roots)).path, join(cwd, 'other'))
  writeFileSync(join(cwd, 'there'), bundleOf(agentTree()))
  assert.equal((await oneAgent('call', 'there', io, roots)).path, join(cwd, 'there'))
  const stored = 'oci://registry.example/agents/mini:1.0.0'
  assert.equal((await oneAgent('call', stored, io, roots)).path, stored)
})

test('a folder with one bundle is that bundle, with two it is no bundle', async () => {
  const { cwd, io, roots } = world()
  assert.equal((await oneTarget('inspect', 'agents', io, roots)).path, join(cwd, 'agents/mini.agent.bundle'))
  writeFileSync(join(cwd, 'agents/second.agent.bundle'), bundleOf(agentTree()))
  await assert.rejects(oneTarget('inspect', 'agents', io, roots), {
    code: 'USAGE',
    message: 'Cannot inspect "agents": 2 bundles are there',
  })
})

test('a folder that an author works in is neither signed, installed nor an unpacked bundle', () => {
  const { cwd } = world()
  const at = (name: string) => ({ path: join(cwd, name), label: name })
  writeTree(join(cwd, 'work'), agentTree())
  writeTree(join(cwd, 'agent.bundle'), agentTree())
  writeTree(join(cwd, 'signed'), signedTree(agentTree(), [RELEASE]))
  mkdirSync(join(cwd, 'empty'))
  const names = ['work', 'agent.bundle', 'signed', 'empty', 'agents/mini.agent.bundle', 'gone']
  assert.deepEqual(
    names.map(name => isSource(at(name))),
    [true, false, false, false, false, false],
  )
  assert.equal(isSource({ ...at('work'), reference: { name: 'mini' } as never }), false)
})

test('the library gives the verdict of what it could read, and an error for what it could not', async () => {
  const { cwd } = world()
  const { report } = await inspect(join(cwd, 'agents/mini.agent.bundle'), { home: false })
  assert.equal(report.verdict, 'unsigned')
  await assert.rejects(inspect(join(cwd, 'gone.agent.bundle'), { home: false }), { code: 'NOT_FOUND' })
})
