// What the hint of a verdict says can be pasted, and is said once.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { readWords } from '../../src/format/text/shell-words.ts'
import { agentTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { signedBundle, signer } from '../support/signed.ts'

const folder = temporary('hints')
const us = signer(1)
const before = process.env['RUNLOOP_HOME']
let cwd = ''
beforeEach(() => {
  cwd = folder('world')
  process.env['RUNLOOP_HOME'] = join(cwd, 'home')
  mkdirSync(join(cwd, 'my bundles'))
  writeFileSync(join(cwd, 'my bundles/mini-1.0.0.agent.bundle'), signedBundle(agentTree(), us))
})
afterEach(() => {
  if (before === undefined) delete process.env['RUNLOOP_HOME']
  else process.env['RUNLOOP_HOME'] = before
})

const PATH = 'my bundles/mini-1.0.0.agent.bundle'
const rlp = (...args: string[]) => run(args, undefined, { cwd, env: {} })
const hintOf = async () => {
  const { stdout } = await rlp('agent', 'verify', PATH, '--json')
  const { reasons, checks } = JSON.parse(stdout).result.bundles[0]
  const inCheck = checks.flatMap((check: { reasons: object[] }) => check.reasons)
  assert.deepEqual(inCheck[0], reasons[0])
  return String(reasons[0].hint)
}
const commandIn = (hint: string): string[] => {
  const read = readWords(/rlp (.*?)(?:,| shows|$)/.exec(hint)?.[1] ?? '')
  assert.ok('value' in read, hint)
  return read.value
}

test('without a policy: the signer is added, and the bundle is trusted', async () => {
  const hint = await hintOf()
  const words = commandIn(hint).map(
    word =>
      new Map([
        ['NAME', 'us'],
        ['KEY', us.anchor],
      ]).get(word) ?? word,
  )
  assert.deepEqual(words.slice(0, 2), ['trust', 'add'])
  const added = await rlp(...words, '--allow-caps', 'any', '--yes')
  assert.equal(added.exit, 0, added.stderr)
  assert.equal((await rlp('agent', 'verify', PATH)).exit, 0)
  const policy = join(cwd, 'home/trust-policy.toml')
  assert.match(hint, /; or name a policy with --trust-policy FILE$/)
  assert.equal((await rlp('agent', 'verify', PATH, '--trust-policy', policy)).exit, 0)
})

test('without a counted signature: what the policy says of this bundle', async () => {
  mkdirSync(join(cwd, 'home'))
  writeFileSync(join(cwd, 'home/trust-policy.toml'), `[anchors]\nother = "${signer(2).anchor}"\n`)
  const { exit, stdout } = await rlp(...commandIn(await hintOf()))
  assert.equal(exit, 0)
  assert.match(stdout, /untrusted/)
})

test('a refused bundle gets one report and one hint', async () => {
  const hint = /rlp trust add NAME KEY/g
  for (const words of [
    ['agent', 'install', PATH],
    ['lock', 'add', PATH],
  ]) {
    const { stdout, stderr } = await rlp(...words)
    const all = stdout + stderr
    assert.equal(all.match(hint)?.length, 1, all)
    assert.equal(all.match(/^ {2}. archive /gm)?.length, 1, all)
    const quiet = await rlp(...words, '-q')
    assert.equal((quiet.stdout + quiet.stderr).match(hint)?.length, 1)
    const { stdout: line, stderr: none } = await rlp(...words, '--json')
    assert.deepEqual([line.trim().split('\n').length, none], [1, ''])
  }
})

test('several bundles get one hint each, a refusal of all of them and pull one', async () => {
  const hint = /rlp trust add NAME KEY/g
  const other = 'my bundles/other-1.0.0.agent.bundle'
  writeFileSync(join(cwd, other), signedBundle(agentTree({ name: 'other' }), us))
  for (const [words, hints] of [
    [['agent', 'verify', PATH, other], 2],
    [['lock', 'add', PATH, other], 1],
  ] as const) {
    const { stdout, stderr } = await rlp(...words)
    assert.equal((stdout + stderr).match(hint)?.length, hints, stdout + stderr)
  }
  const store = 'oci-layout:store'
  assert.equal((await rlp('agent', 'push', PATH, store)).exit, 0)
  for (const words of [[], ['-q']]) {
    const { stdout, stderr } = await rlp('agent', 'pull', `${store}:1.0.0`, '--expect', 'mini', ...words)
    assert.equal((stdout + stderr).match(hint)?.length, 1, stdout + stderr)
  }
})
