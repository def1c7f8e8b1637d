// What the hint of a verdict says can be pasted, and is said once.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { readWords } from '../../src/text/shell-words.ts'
import { agentTree, writeTree } from '../support/agent.ts'
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
  assert.match(hint, /; or name a policy with --trust-policy$/)
  assert.equal((await rlp('agent', 'verify', PATH, '--trust-policy', policy)).exit, 0)
})

test('without a counted signature: what the policy says of this bundle', async () => {
  mkdirSync(join(cwd, 'home'))
  writeFileSync(join(cwd, 'home/trust-policy.toml'), `[anchors]\nother = "${signer(2).anchor}"\n`)
  const { exit, stdout } = await rlp(...commandIn(await hintOf()))
  assert.equal(exit, 0)
  assert.match(stdout, /untrusted/)
})

const HOME = () => join(cwd, 'home')
/** A policy in which our key may grant everything for every agent. */
const trustUs = (
  to = join(HOME(), 'trust-policy.toml'),
  rule = 'us = { allow_caps = "any", allow_net = "any", allow_exec = true }',
) => {
  mkdirSync(HOME(), { recursive: true })
  writeFileSync(to, `[anchors]\nus = "${us.anchor}"\n\n[rules]\n${rule}\n`, { mode: 0o600 })
}
/** The words after `rlp` in a hint, as far as `end`. */
const pasted = (hint: string, end: RegExp): string[] => {
  const from = hint.slice(hint.indexOf('rlp ') + 4)
  const read = readWords(from.slice(0, from.search(end)).trimEnd())
  assert.ok('value' in read, hint)
  return read.value
}

test('the policy that was named is the one that is explained', async () => {
  const policy = join(cwd, 'my policy.toml')
  writeFileSync(policy, `[anchors]\nother = "${signer(2).anchor}"\n`, { mode: 0o600 })
  const { stdout } = await rlp('agent', 'verify', PATH, '--trust-policy', policy, '--json')
  const [{ hint }] = JSON.parse(stdout).result.bundles[0].reasons
  const explained = await rlp(...pasted(hint, / shows/))
  assert.equal(explained.exit, 0, explained.stderr)
  assert.match(explained.stdout, /my policy\.toml/)
})

const ASKING = { 'policy.caps': '[capabilities]\nnet = ["api.example:443"]\n' }

test('beyond what the signer may grant: the wider rule, and the bundle is trusted', async () => {
  writeFileSync(join(cwd, PATH), signedBundle(agentTree({ files: ASKING }), us))
  trustUs(undefined, 'us = { allow_caps = [], allow_net = [], allow_exec = false, agents = ["mini"] }')
  assert.equal((await rlp('agent', 'verify', PATH)).exit, 4)
  const words = pasted(await hintOf(), / shows/)
  // The page of diff says the same, with the path of the second bundle.
  const diff = await rlp('agent', 'diff', PATH, PATH)
  assert.match(
    diff.stdout.replace(/\s+/g, ' '),
    /rlp trust add us --for 'my bundles\/mini-1\.0\.0\.agent\.bundle'/,
  )
  const added = await rlp(...words, '--yes')
  assert.equal(added.exit, 0, added.stderr)
  assert.equal((await rlp('agent', 'verify', PATH)).exit, 0)
})

test('not in the lock, and not as the lock pins it: into that lock', async () => {
  trustUs()
  for (const lock of ['rlp.lock', 'my locks/rlp.lock']) {
    mkdirSync(join(cwd, 'my locks'), { recursive: true })
    const verify = async () => rlp('agent', 'verify', PATH, '--lock', lock, '--json')
    const hint = async () => String(JSON.parse((await verify()).stdout).result.bundles[0].reasons[0].hint)
    writeFileSync(join(cwd, PATH), signedBundle(agentTree(), us))
    const missing = await hint()
    assert.match(missing, /^Name the lock with --lock, or make it with rlp lock add 'my bundles/)
    const made = await rlp(...pasted(missing, /$/), '--lock', lock)
    assert.equal(made.exit, 0, made.stderr)
    // Another agent, which the lock does not have.
    const lines = readFileSync(join(cwd, lock), 'utf8')
    writeFileSync(join(cwd, lock), lines.replaceAll('mini', 'other').replace('other-1', 'mini-1'))
    const added = await rlp(...pasted(await hint(), / takes/))
    assert.equal(added.exit, 0, added.stderr)
    assert.equal((await verify()).exit, 0)
    writeFileSync(join(cwd, PATH), signedBundle(agentTree({ version: '1.1.0', files: { 'a.md': 'a' } }), us))
    const expect = ['--expect', 'mini']
    const changed = await rlp('agent', 'verify', PATH, '--lock', lock, '--json', ...expect)
    const [reason] = JSON.parse(changed.stdout).result.bundles[0].reasons
    assert.equal(reason.code, 'not_as_locked')
    const renamed = join('my bundles', 'mini-1.1.0.agent.bundle')
    renameSync(join(cwd, PATH), join(cwd, renamed))
    const words = pasted(reason.hint, / shows/).map(word => (word === PATH ? renamed : word))
    const updated = await rlp(...words)
    assert.equal(updated.exit, 0, updated.stderr)
    assert.equal((await rlp('agent', 'verify', renamed, '--lock', lock)).exit, 0)
  }
})

test('older than what was installed, or other content: the mark is set back, and the bundle is trusted', async () => {
  trustUs()
  const at = (version: string) => `my bundles/mini-${version}.agent.bundle`
  for (const [version, text] of [
    ['1.1.0', 'as installed'],
    ['1.1.0', 'other content'],
    ['1.0.0', 'older'],
  ] as const) {
    writeFileSync(join(cwd, at(version)), signedBundle(agentTree({ version, files: { 'a.md': text } }), us))
    if (text === 'as installed') {
      const installed = await rlp('agent', 'install', at(version), '--yes', '-q')
      assert.equal(installed.exit, 0, installed.stderr)
      continue
    }
    const { stdout } = await rlp('agent', 'verify', at(version), '--json')
    const [{ hint }] = JSON.parse(stdout).result.bundles[0].reasons
    const reset = await rlp(...pasted(hint, / (?:accepts|allows)/))
    assert.equal(reset.exit, 0, reset.stderr)
    assert.equal((await rlp('agent', 'verify', at(version))).exit, 0)
  }
})

test('contents that were not fetched, a damaged bundle, an archive of another program', async () => {
  const damaged = 'my bundles/damaged.agent.bundle'
  const bytes = signedBundle(agentTree(), us)
  bytes[bytes.length - 2000] = (bytes[bytes.length - 2000] ?? 0) ^ 1
  writeFileSync(join(cwd, damaged), bytes)
  const all = await rlp('key', 'generate', 'mine', '--no-passphrase')
  assert.equal(all.exit, 0, all.stderr)
  const signed = await rlp('agent', 'sign', damaged, '--key', 'mine', '--json')
  const said = await rlp(...pasted(String(JSON.parse(signed.stdout).hint), / says/))
  assert.equal(said.exit, 1)
  assert.match(said.stdout, /^ {2}✗ /m)

  const foreign = 'my bundles/foreign.tar'
  const tree = join(cwd, 'my bundles/tree')
  writeTree(tree, agentTree())
  assert.equal(spawnSync('tar', ['-cf', foreign, '-C', 'my bundles/tree', '.'], { cwd }).status, 0)
  const { stderr } = await rlp('agent', 'verify', foreign)
  const packed = await rlp(...pasted(stderr, / makes/))
  assert.equal(packed.exit, 0, packed.stderr)

  const wrong = await rlp('agent', 'verify', PATH, '--expect', 'blake3:00', '--json')
  const inspected = await rlp(
    ...pasted(String(JSON.parse(wrong.stdout).hint), / shows/).map(word => (word === 'BUNDLE' ? PATH : word)),
  )
  assert.match(inspected.stdout, /blake3:[0-9a-f]{64}/)
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
