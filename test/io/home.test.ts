// A user without a home folder, as a number in a container is: everything that needs none works.
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { agentTree, bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { IS_ROOT, rlp } from '../support/run.ts'

const UNKNOWN = 54_321

test('a user whom no list of users has verifies a bundle', {
  skip: IS_ROOT ? false : 'needs root',
}, async () => {
  const cwd = temporary('home')('world')
  chmodSync(cwd, 0o755)
  writeFileSync(join(cwd, 'mini-1.0.0.agent.bundle'), bundleOf(agentTree()))
  const env = { HOME: undefined, RUNLOOP_HOME: undefined }
  const as = (...args: string[]) => rlp(args, { cwd, uid: UNKNOWN, env })
  const { exit, stdout, stderr } = await as('agent', 'verify', 'mini-1.0.0.agent.bundle')
  assert.doesNotMatch(stderr, /Internal error/)
  assert.match(stdout, /\nunsigned/)
  assert.notEqual(exit, 70)
  assert.equal((await as('key', 'list')).exit, 0)
  assert.equal((await as('agent', 'list')).exit, 0)
})

test('only one file asks the system for the home folder', () => {
  const asking = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    path => path.endsWith('.ts') && /\bhomedir\b/.test(readFileSync(join('src', path), 'utf8')),
  )
  assert.deepEqual(asking, ['io/home.ts'])
})
