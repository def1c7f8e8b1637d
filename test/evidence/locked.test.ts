// --lock and --locked where something is stated about a bundle: only about the one that the lock pins.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { provenance, sbom, summarize } from '../../src/library/generated/evidence.ts'
import { agentTree, bundleOf, digestOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { installKeys, KEYS, signed } from '../support/trust-world.ts'

const folder = temporary('evidence-locked')
const NAME = 'mini-1.0.0.agent.bundle'
const PINNED = bundleOf(signed(agentTree(), 'release'))
const OTHER = bundleOf(signed(agentTree({ files: { 'README.md': 'other\n' } }), 'release'))
const BUILDER = ['--builder', 'https://ci.example/1']
const URIS = { verifier: 'https://ci.example/v', resource: 'https://r.example/mini' }

let cwd = ''
before(async () => {
  const home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  const policy = `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = { allow_caps = "any" }\n`
  writeFileSync(join(home, 'trust-policy.toml'), policy, { mode: 0o600 })
  cwd = folder('cwd')
  writeFileSync(join(cwd, NAME), PINNED)
  const { exit, stderr } = await run(['lock', 'add', NAME], undefined, { cwd })
  assert.equal(exit, 0, stderr)
  writeFileSync(join(cwd, 'empty.lock'), 'version = 1\n')
})

const said = async (bytes: Uint8Array, ...args: string[]) => {
  writeFileSync(join(cwd, NAME), bytes)
  const { exit, stdout, stderr } = await run([...args, '--key', 'second', '--json'], undefined, { cwd })
  const { ok, code, message = '' } = JSON.parse(stdout)
  return { exit, ok, code, said: `${message}${stderr}` }
}

for (const args of [
  ['agent', 'sbom', NAME],
  ['agent', 'provenance', NAME, ...BUILDER],
  ['agent', 'verify', NAME, '--verifier', URIS.verifier, '--resource', URIS.resource],
]) {
  describe(`rlp ${args[1]}`, () => {
    test('states what the lock pins, and nothing of another bundle', async () => {
      assert.deepEqual(await said(PINNED, ...args, '--locked'), {
        exit: 0,
        ok: true,
        code: undefined,
        said: '',
      })
      const before = readFileSync(join(cwd, `${NAME}.intoto.jsonl`))
      for (const lock of [['--locked'], ['--lock', 'rlp.lock']]) {
        const other = await said(OTHER, ...args, ...lock)
        assert.deepEqual([other.exit, other.ok, other.code], [1, false, 'NOT_VERIFIED'])
        assert.match(other.said, /It is blake3:[0-9a-f]+, and \S*rlp\.lock pins blake3:/)
      }
      assert.match((await said(PINNED, ...args, '--lock', 'empty.lock')).said, /empty\.lock has no mini/)
      assert.equal((await said(OTHER, ...args)).exit, 0)
      assert.notDeepEqual(readFileSync(join(cwd, `${NAME}.intoto.jsonl`)), before)
    })

    test('does not decide by a lock that is missing, or by two', async () => {
      const missing = await said(PINNED, ...args, '--lock', 'missing.lock')
      assert.deepEqual([missing.exit, missing.ok], [3, false])
      assert.match(missing.said, /missing\.lock: no such file/)
      const two = await said(PINNED, ...args, '--lock', 'rlp.lock', '--locked')
      assert.equal(two.exit, 2)
    })
  })
}

test('a summary names the lock by the digest of its bytes', async () => {
  writeFileSync(join(cwd, NAME), PINNED)
  const verify = ['agent', 'verify', NAME, '--verifier', URIS.verifier, '--resource', URIS.resource]
  const stated = async (...args: string[]) => {
    const all = [...verify, ...args, '--key', 'second', '--attest', 'summary.jsonl', '--json']
    const { stdout } = await run(all, undefined, { cwd })
    return JSON.parse(stdout).result.bundles[0].summary['urn:runloop:agent-bundle:verification:v1'].lock
  }
  const digest = { blake3: digestOf(readFileSync(join(cwd, 'rlp.lock'), 'utf8')) }
  assert.deepEqual(await stated('--lock', 'rlp.lock'), { digest })
  assert.equal(await stated(), undefined)
})

test('the library takes the same lock', async () => {
  const verbs = [
    (lock: string) => sbom(NAME, { cwd, lock }),
    (lock: string) => provenance(NAME, { cwd, lock, builder: 'https://ci.example/1' }),
    (lock: string) => summarize(NAME, { cwd, lock, ...URIS }),
  ]
  for (const state of verbs) {
    writeFileSync(join(cwd, NAME), PINNED)
    assert.ok(await state('rlp.lock'))
    await assert.rejects(state('missing.lock'), /missing\.lock: no such file/)
    writeFileSync(join(cwd, NAME), OTHER)
    await assert.rejects(state('rlp.lock'), { code: 'NOT_VERIFIED', message: /pins blake3:/ })
  }
})
