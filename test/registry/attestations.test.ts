// Statements about a bundle on their way: pushed beside it, pulled elsewhere, and demanded there.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { push } from '../../src/index.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { attestation, linesOf, PROVENANCE } from '../support/attested.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { ASKING, KEYS, signed } from '../support/trust-world.ts'

const FILES = signed(ASKING, 'release')
const NAME = 'mini-1.0.0.agent.bundle'
const folder = temporary('attached')
const POLICY = `[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
attestations = [{ type = "${PROVENANCE}", by = ["ci"] }]
`
const good = attestation(FILES, [KEYS.second])
const bill = attestation(FILES, [KEYS.second], { type: 'https://cyclonedx.org/bom', predicate: {} })
const other = attestation(agentTree({ name: 'mini', version: '2.0.0' }), [KEYS.second])

before(() => {
  const home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
})

function place(...lines: readonly (Uint8Array | string)[]) {
  const cwd = folder('cwd')
  writeFileSync(join(cwd, NAME), bundleOf(FILES))
  writeFileSync(join(cwd, 'evidence.jsonl'), linesOf(...lines))
  return cwd
}

const rlp = (cwd: string, ...args: string[]) => run(args, undefined, { cwd })
const PUSH = ['agent', 'push', NAME, 'oci-layout:store']
const PULL = ['agent', 'pull', 'oci-layout:store:1.0.0', '--expect', 'mini', '--out-dir', 'got']

describe('statements about a stored bundle', () => {
  test('are pushed beside it, and pulled with it: then it is trusted', async () => {
    const cwd = place(good, bill, other, 'foreign')
    assert.equal((await rlp(cwd, ...PUSH)).exit, 0)
    const without = await rlp(cwd, ...PULL)
    assert.equal(without.exit, 1)
    assert.match(without.stderr, /untrusted: The required provenance by ci is missing: no statement came/)
    const pushed = await rlp(cwd, ...PUSH, '--attach', 'evidence.jsonl')
    assert.equal(pushed.exit, 0, pushed.stderr)
    assert.equal(pushed.stdout.match(/with a statement as sha256:/g)?.length, 2)
    const pulled = await rlp(cwd, ...PULL)
    assert.equal(pulled.exit, 0, pulled.stderr)
    const lines = readFileSync(join(cwd, 'got', `${NAME}.intoto.jsonl`), 'utf8')
      .trim()
      .split('\n')
    assert.deepEqual(lines.sort(), [String(good), String(bill)].sort())
    const verified = await rlp(cwd, 'agent', 'verify', join('got', NAME))
    assert.equal(verified.exit, 0)
    // Once more: nothing is added.
    const again = await rlp(cwd, ...PUSH, '--attach', 'evidence.jsonl')
    assert.match(again.stdout, /is already at/)
    assert.equal((await rlp(cwd, ...PULL)).exit, 0)
    assert.equal(
      readFileSync(join(cwd, 'got', `${NAME}.intoto.jsonl`), 'utf8')
        .trim()
        .split('\n').length,
      2,
    )
  })

  test('are installed with it', async () => {
    const cwd = place(good)
    await rlp(cwd, ...PUSH, '--attach', 'evidence.jsonl')
    const args = ['agent', 'install', 'oci-layout:store:1.0.0', '--expect', 'mini', '--yes', '--root', 'root']
    const installed = await rlp(cwd, ...args)
    assert.equal(installed.exit, 0, installed.stderr)
    assert.deepEqual(readFileSync(join(cwd, 'root/mini.agent.bundle.intoto.jsonl')), linesOf(good))
  })

  test('by strangers hinder nothing, unless there are too many', async () => {
    const cwd = place(good)
    const foreign = attestation(FILES, [KEYS.stranger])
    await push(join(cwd, NAME), 'oci-layout:store', { cwd, attach: linesOf(foreign, good) })
    assert.equal((await rlp(cwd, ...PULL)).exit, 0)
    const many = Array.from({ length: 64 }, (_, run) =>
      attestation(FILES, [KEYS.stranger], { predicate: { run } }),
    )
    await push(join(cwd, NAME), 'oci-layout:store', { cwd, attach: linesOf(...many) })
    const { exit, stderr } = await rlp(cwd, 'agent', 'pull', ...PULL.slice(2, 5), '--out-dir', 'more')
    assert.equal(exit, 1)
    assert.match(stderr, /is missing: what is attached to it: it has more than 64 envelopes/)
  })

  for (const [name, lines, why] of [
    ['about other bundles alone', [other], /no statement in it is about this bundle/],
    ['of which there are too many', Array(65).fill('x'), /it has more than 64 envelopes/],
  ] as const) {
    test(`${name} are not pushed, and the bundle is not either`, async () => {
      const cwd = place(...lines)
      const ran = await rlp(cwd, ...PUSH, '--attach', 'evidence.jsonl')
      assert.notEqual(ran.exit, 0)
      assert.match(ran.stderr, why)
      assert.notEqual((await rlp(cwd, 'agent', 'list', 'oci-layout:store')).exit, 0)
    })
  }
})
