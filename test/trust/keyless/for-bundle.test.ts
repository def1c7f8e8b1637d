// rlp trust add --for, of a bundle that came with keyless signatures: from its file of attestations to a policy under which it is trusted.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import { parse } from '../../../src/cli/parse.ts'
import type { RlpError } from '../../../src/model/error.ts'
import { command as trustAdd } from '../../../src/trust/verbs/add.ts'
import { agentTree, bundleOf } from '../../support/agent.ts'
import { fakeTerminal, run } from '../../support/fake-terminal.ts'
import { snapshot, temporary } from '../../support/folder.ts'
import { payloadOf, WORLD } from '../../support/keyless-world.ts'
import { type Line, scripted } from '../../support/scripted-prompter.ts'
import { GITHUB, JOB, pair } from '../../support/sigstore-world.ts'
import { installKeys, KEYS, policySource, signed } from '../../support/trust-world.ts'

const BUNDLE = 'mini-1.0.0.agent.bundle'
const TREE = agentTree({ name: 'mini', files: { 'policy.caps': '[capabilities]\nmodel = true\n' } })
const SIGNED = payloadOf(TREE)
const RIGHT = WORLD.line(SIGNED)
const folderFor = temporary('for-bundle')
let home = ''
let cwd = ''

beforeEach(() => {
  home = folderFor('home')
  cwd = folderFor('cwd')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  writeFileSync(join(cwd, 'root.json'), WORLD.rootBytes)
  put(RIGHT)
})

function put(...lines: readonly Uint8Array[]): void {
  writeFileSync(join(cwd, BUNDLE), bundleOf(TREE))
  writeFileSync(
    join(cwd, `${BUNDLE}.intoto.jsonl`),
    Buffer.concat(lines.flatMap(line => [line, Buffer.from('\n')])),
  )
}

const policyFile = () => join(home, 'trust-policy.toml')
const policy = () => readFileSync(policyFile(), 'utf8')
async function rlp(...args: string[]) {
  const { exit, stdout, stderr } = await run([...args, '--json'], undefined, { cwd })
  return { exit, stderr, ...JSON.parse(stdout) }
}
const add = (...args: string[]) => rlp('trust', 'add', 'ci', '--for', BUNDLE, ...args)
const verdict = async () => (await rlp('agent', 'verify', BUNDLE)).result.bundles[0].verdict
const ROOTED = ['--trusted-root', 'root.json']

describe('trust add --for', () => {
  test('writes the identity, the rule and the root, under which the bundle is trusted', async () => {
    assert.equal(await verdict(), 'unsigned')
    const { exit, result } = await add(...ROOTED, '--yes')
    assert.equal(exit, 0)
    assert.deepEqual(result.bundles, [{ target: BUNDLE, verdict: 'trusted', reasons: [] }])
    const [ci] = policySource(policy()).policy?.anchors ?? []
    assert.deepEqual(
      { ...ci?.identity },
      {
        issuer: GITHUB,
        repository_id: '123456789',
        owner_id: '42',
        workflow: '.github/workflows/release.yml',
        ref: 'refs/tags/v*',
        runner: 'github-hosted',
      },
    )
    assert.equal(await verdict(), 'trusted')
    assert.ok(!policy().includes('https://github.com/acme'), 'no name of a repository is written')
  })
  test('says what the bundle may do, who it is by, and that names do not count', async () => {
    const before = snapshot(home)
    const { exit, result } = await add(...ROOTED, '--dry-run')
    assert.equal(exit, 0)
    const text = result.says.join('\n')
    assert.match(text, /ci may grant model to mini/)
    assert.match(text, /is what its repository is called today. Names are for display only: ids count/)
    assert.match(text, /root\.json is copied to sigstore-root\.json/)
    assert.equal(result.bundles[0].verdict, 'trusted')
    assert.deepEqual(snapshot(home), before)
  })
  test('asks, and writes nothing without a yes', async () => {
    const { code } = await add(...ROOTED)
    assert.equal(code, 'NEEDS_ANSWER')
    const ask = async (line: Line) => {
      const script = scripted([line])
      const { terminal } = fakeTerminal({ cwd, isTTY: { stdin: true, stdout: true, stderr: true } })
      const args = parse(trustAdd, ['ci', '--for', BUNDLE, ...ROOTED])
      const io = { ...terminal, color: false }
      const outcome = await trustAdd
        .run(args, io, async () => script.prompter)
        .catch((error: RlpError) => error.code)
      return { outcome, log: script.log.join('\n') }
    }
    const { outcome, log } = await ask(['Let the signer', 'no'])
    assert.equal(outcome, 'CANCELLED')
    assert.match(log, /\+ci = \{ issuer = .*\n[\s\S]*Anybody can sign\. Compare the ids/)
    assert.equal(existsSync(policyFile()) || existsSync(join(home, 'sigstore-root.json')), false)
    assert.equal((await ask(['Let the signer', 'yes'])).outcome, 0)
    assert.equal(await verdict(), 'trusted')
  })
  test('without a root it says what is missing; with one in the policy it needs no other', async () => {
    const { exit, code, message, hint } = await add('--yes')
    assert.deepEqual([exit, code], [2, 'NOT_FOUND'])
    assert.match(message, /^Cannot propose an identity for "ci": .*names no trusted root/)
    assert.match(hint, /--trusted-root;/)
    assert.equal(existsSync(policyFile()), false)
    await add(...ROOTED, '--yes')
    await rlp('trust', 'remove', 'ci')
    assert.equal((await add('--yes')).exit, 0)
    assert.equal(await verdict(), 'trusted')
    await rlp('trust', 'remove', 'ci')
    writeFileSync(join(home, 'sigstore-root.json'), '{}')
    const changed = await add('--yes')
    assert.deepEqual([changed.code, /another digest/.test(changed.message)], ['NOT_VERIFIED', true])
  })
  test('what only claims to be by an identity is refused, also if it is typed, and nothing is written', async () => {
    put(WORLD.line(SIGNED, {}, { by: pair().privateKey }))
    const typed = ['--issuer', GITHUB, '--repository-id', '123456789']
    const whole = [...typed, '--workflow', '.github/workflows/release.yml', '--ref', 'refs/tags/v*']
    const before = snapshot(home)
    for (const args of [[], typed, whole]) {
      const { exit, code, message } = await add(...ROOTED, ...args, '--yes')
      assert.deepEqual([exit === 0, code], [false, 'NOT_VERIFIED'])
      assert.match(
        message,
        /the keyless signature of "mini-1\.0\.0\.agent\.bundle" is not proven \(line 1: [A-Za-z ]+\)/,
      )
    }
    assert.deepEqual(snapshot(home), before)
  })
  test('of two that are proven it names both, and takes the one that is chosen', async () => {
    put(WORLD.line(SIGNED, { claims: { ...JOB, 15: '2' } }), RIGHT)
    const { code, message } = await add(...ROOTED, '--yes')
    assert.equal(code, 'NEEDS_ANSWER')
    assert.match(message, /repository_id 2,.*repository_id 123456789,/)
    const chosen = await add(...ROOTED, '--issuer', GITHUB, '--repository-id', '2', '--yes')
    assert.equal(chosen.exit, 0)
    assert.equal(policySource(policy()).policy?.anchors[0]?.identity?.repository_id, '2')
    assert.equal(await verdict(), 'trusted')
  })
  test('an identity that is there gets the rule only for what it has signed', async () => {
    await add(...ROOTED, '--yes')
    const other = agentTree({ name: 'other', files: { 'policy.caps': '[capabilities]\ntime = true\n' } })
    const name = 'other-1.0.0.agent.bundle'
    writeFileSync(join(cwd, name), bundleOf(other))
    const grow = () => rlp('trust', 'add', 'ci', '--for', name, '--yes')
    writeFileSync(
      join(cwd, `${name}.intoto.jsonl`),
      WORLD.line(payloadOf(other), { claims: { ...JOB, 17: '43' } }),
    )
    const refused = await grow()
    assert.equal(refused.code, 'NOT_VERIFIED')
    assert.match(
      refused.message,
      /it is not signed by the identity of ci; the owner_id of its signature is "43"/,
    )
    writeFileSync(join(cwd, `${name}.intoto.jsonl`), WORLD.line(payloadOf(other)))
    assert.equal((await grow()).exit, 0)
    assert.match(policy(), /allow_caps = \["time"\].*agents = \["other"\]/)
  })
  test('a key that is named goes before what came beside the bundle', async () => {
    writeFileSync(join(cwd, BUNDLE), bundleOf(signed(TREE, 'release')))
    assert.equal((await add('release', '--yes')).exit, 0)
    assert.deepEqual(policySource(policy()).policy?.anchors[0]?.keys, [KEYS.release.anchor])
  })
  test('explain shows each member beside the certificate, in text and as JSON', async () => {
    await add(...ROOTED, '--yes')
    const { result } = await rlp('trust', 'explain', BUNDLE)
    assert.deepEqual(
      result.identities.map(({ anchor, proven, claims }: Record<string, unknown>) => [
        anchor,
        proven,
        claims,
      ]),
      [['ci', true, true]],
    )
    const { stdout } = await run(['trust', 'explain', BUNDLE], undefined, { cwd })
    assert.match(stdout, /✓ keyless signature in line 1 beside ci/)
  })
  test('a question about the bundle is answered with its keyless signatures', async () => {
    await add(...ROOTED, '--yes')
    writeFileSync(
      join(cwd, 'q.toml'),
      `policies = [${JSON.stringify(policyFile())}]\n[[question]]\nname = "q"\nbundle = "${BUNDLE}"\nverdict = "trusted"\n`,
    )
    assert.equal((await rlp('trust', 'test', 'q.toml')).exit, 0)
  })
})
