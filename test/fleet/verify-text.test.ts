// What rlp agent verify says beside its verdicts: archives of other programs, places that were not reached, and what it cannot attest.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { refuseUnreached } from '../../src/fleet/judge-all.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { putInStead } from '../support/layout-content.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { installKeys, POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('fleet-text')
const SOUND = bundleOf(signed(agentTree(), 'release'))

function world(name: string): string {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  installKeys(home)
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
  process.env['RUNLOOP_HOME'] = home
  writeFileSync(join(cwd, 'mini-1.0.0.agent.bundle'), SOUND)
  return cwd
}

const verify = (cwd: string, ...args: string[]) => run(['agent', 'verify', ...args], undefined, { cwd })

/** Archives of tar, with entries for folders. */
function foreign(cwd: string, ...names: string[]): void {
  writeTree(join(cwd, 'x/agent.bundle'), agentTree())
  assert.equal(spawnSync('tar', ['-cf', 'of-tar', '-C', 'x', 'agent.bundle'], { cwd }).status, 0)
  for (const name of names) copyFileSync(join(cwd, 'of-tar'), join(cwd, name))
}

test('an archive of another program: how it becomes a bundle, and nothing of a damaged one', async () => {
  const cwd = world('foreign')
  foreign(cwd, 'a.tar')
  writeFileSync(join(cwd, 'cut.agent.bundle'), SOUND.subarray(0, -512))
  const { exit, stderr } = await verify(cwd, 'a.tar', 'cut.agent.bundle', 'mini-1.0.0.agent.bundle')
  assert.equal(exit, 1)
  assert.deepEqual(
    stderr.split('\n').filter(line => line.startsWith('warning: ')),
    ['warning: a.tar: If you know where this archive comes from, rlp agent pack a.tar makes a bundle of it'],
  )
  const alone = await verify(cwd, 'a.tar')
  assert.match(alone.stderr, /a\.tar: If you know where this archive comes from/)
  assert.doesNotMatch((await verify(cwd, 'cut.agent.bundle')).stderr, /If you know where/)
})

test('of many archives of another program, it is said of ten', async () => {
  const cwd = world('many')
  const names = Array.from({ length: 12 }, (_, index) => `${index + 10}.tar`)
  foreign(cwd, ...names)
  const { stderr } = await verify(cwd, ...names)
  assert.equal(stderr.match(/^warning: /gm)?.length, 10)
})

test('a place that was not reached ends the call; any other reason is one of the bundle', () => {
  const message = 'Cannot fetch'
  assert.throws(() => refuseUnreached({ code: 'timed_out', message, hint: 'Wait' }), {
    code: 'TIMED_OUT',
    message,
    hint: 'Wait',
  })
  assert.throws(() => refuseUnreached({ code: 'unreachable', message }), { code: 'UNREACHABLE', message })
  refuseUnreached({ code: 'unreadable', message })
})

test('a summary is about one bundle', async () => {
  const cwd = world('attest')
  const attest = (...args: string[]) =>
    verify(
      cwd,
      ...args,
      '--key',
      'second',
      '--verifier',
      'https://v.example',
      '--resource',
      'https://r.example',
    )
  const one = await attest('mini-1.0.0.agent.bundle')
  assert.equal(one.exit, 0, one.stderr)
  writeFileSync(join(cwd, 'report.ndjson'), '', { mode: 0o600 })
  writeFileSync(join(cwd, 'copy'), SOUND)
  writeFileSync(join(cwd, 'list'), 'mini-1.0.0.agent.bundle\n')
  for (const args of [
    ['mini-1.0.0.agent.bundle', 'copy'],
    ['--bundles-from', 'list'],
    ['mini-1.0.0.agent.bundle', '--since', 'report.ndjson'],
  ]) {
    const { exit, stderr } = await attest(...args)
    assert.equal(exit, 2, args.join(' '))
    assert.match(stderr, /Cannot attest: a summary is about one bundle/, args.join(' '))
  }
})

test('a file that is gone since the earlier report is judged, and that says so', async () => {
  const cwd = world('since')
  const { stdout } = await verify(cwd, 'mini-1.0.0.agent.bundle', '--format', 'ndjson')
  writeFileSync(join(cwd, 'report.ndjson'), stdout, { mode: 0o600 })
  const again = (name: string) => verify(cwd, name, '--since', 'report.ndjson', '--format', 'ndjson')
  assert.match((await again('mini-1.0.0.agent.bundle')).stdout, /"verdict":"trusted".*"reused":true/)
  // The summary says how many bundles were judged before. One bundle gets it only with an earlier report.
  assert.match((await again('mini-1.0.0.agent.bundle')).stderr, /^1 bundle: 1 trusted.*judged before/m)
  const alone = await verify(cwd, 'mini-1.0.0.agent.bundle', '--format', 'ndjson')
  assert.doesNotMatch(alone.stderr, /1 bundle: /)
  const { exit, stdout: gone } = await again('gone-1.0.0.agent.bundle')
  assert.equal(exit, 3)
  assert.match(gone, /"verdict":"indeterminate".*"reused":false/)
})

test('a repository that holds one bundle gets its whole report, as the bundle itself', async t => {
  const cwd = world('repository')
  const server = await new FakeRegistry().start()
  t.after(() => server.stop())
  const at = `oci://${server.host}/agents/mini`
  const pushed = await run(['agent', 'push', 'mini-1.0.0.agent.bundle', at], undefined, { cwd })
  assert.equal(pushed.exit, 0, pushed.stderr)
  const [named, tagged] = [await verify(cwd, at), await verify(cwd, `${at}:1.0.0`)]
  assert.equal(tagged.exit, 0)
  assert.match(tagged.stdout, /^oci:.*\n {2}mini 1\.0\.0, .*\ntrusted\n$/s)
  assert.deepEqual([named.exit, named.stdout], [0, tagged.stdout])
  // With two it is a list, as several names are.
  writeFileSync(join(cwd, 'next'), bundleOf(signed(agentTree({ version: '1.1.0' }), 'release')))
  assert.equal((await run(['agent', 'push', 'next', at], undefined, { cwd })).exit, 0)
  const both = await verify(cwd, at)
  assert.equal(both.stdout.match(/^✓ trusted {7}oci:/gm)?.length, 2)
  assert.match(both.stderr, /^2 bundles: 2 trusted$/m)
})

test('a bundle beside a list is one of several', async () => {
  const cwd = world('beside-list')
  writeFileSync(join(cwd, 'list'), 'mini-1.0.0.agent.bundle\n')
  const { stdout } = await verify(cwd, 'mini-1.0.0.agent.bundle', '--bundles-from', 'list')
  assert.equal(stdout.match(/^✓ trusted {7}mini-1\.0\.0\.agent\.bundle {2}mini 1\.0\.0$/gm)?.length, 2)
})

test('of the only place that was named an error is told, and of several a record', async () => {
  const cwd = world('unreached')
  const far = 'oci://127.0.0.1:1/agents/mini'
  const alone = await verify(cwd, far, '--json')
  assert.deepEqual([alone.exit, JSON.parse(alone.stdout).code], [3, 'UNREACHABLE'])
  const { exit, stdout } = await verify(cwd, far, 'mini-1.0.0.agent.bundle', '--json')
  assert.equal(exit, 3)
  assert.equal(JSON.parse(stdout).result.bundles.length, 2)
})

test('what is stored is no archive of another program that one could pack', async () => {
  const cwd = world('foreign-stored')
  foreign(cwd, 'a.tar')
  const pushed = await run(['agent', 'push', 'mini-1.0.0.agent.bundle', 'oci-layout:store'], undefined, {
    cwd,
  })
  assert.equal(pushed.exit, 0, pushed.stderr)
  putInStead(join(cwd, 'store'), readFileSync(join(cwd, 'a.tar')))
  const hint = /rlp agent pack/
  assert.match((await verify(cwd, 'a.tar')).stderr, hint)
  const stored = await verify(cwd, 'oci-layout:store:1.0.0', '--expect', 'mini')
  assert.equal(stored.exit, 1)
  assert.match(stored.stdout, /the entry is a directory/)
  assert.doesNotMatch(stored.stderr, hint)
})
