// What the library and rlp agent attest say of statements of any type: which bundle, which predicate, which file, and which of them are missing.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { anyStatement } from '../../src/evidence/any-statement.ts'
import { type AttestOptions, attest } from '../../src/library/generated/evidence.ts'
import { ATTESTATION_LIMITS } from '../../src/model/limits.ts'
import { readAttestation, readAttestations } from '../../src/statement/lines.ts'
import { readAttested } from '../../src/statement/statement.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { installKeys, KEYS, signed } from '../support/trust-world.ts'

const folder = temporary('attest-verb')
const NAME = 'mini-1.0.0.agent.bundle'
const TYPE = 'https://scan.example/v1'
const POLICY = `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = { allow_caps = "any" }\n`
const BYTES = bundleOf(signed(agentTree({ name: 'mini' }), 'release'))

before(() => {
  const home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
})

function place(): string {
  const cwd = folder('cwd')
  writeFileSync(join(cwd, NAME), BYTES)
  return cwd
}

/** The one statement in a file. */
function statementIn(path: string) {
  const [envelope, ...others] = readAttestations(path, readFileSync(path)).envelopes
  assert.deepEqual(others, [])
  const read = readAttestation(envelope?.bytes ?? new Uint8Array())
  const statement = read.ok ? readAttested(read.value.payload) : assert.fail(read.problem)
  return statement.ok ? statement.value : assert.fail(statement.problem)
}

describe('attest in the library', () => {
  const asked = (cwd: string, more: object) =>
    attest(NAME, { cwd, key: 'second', type: TYPE, predicate: {}, ...more } as AttestOptions)

  test('states an object or the bytes of one, beside the bundle or in a file that is named', async () => {
    const cwd = place()
    const made = await asked(cwd, { predicate: { findings: 0 } })
    assert.deepEqual(made, {
      bundle: NAME,
      type: TYPE,
      file: `${NAME}.intoto.jsonl`,
      signer: KEYS.second.anchor,
      changed: true,
    })
    const { predicate, predicateType } = statementIn(join(cwd, made.file))
    assert.deepEqual([predicateType, predicate], [TYPE, { findings: 0 }])
    const bytes = Buffer.from('{"findings":1}')
    assert.equal((await asked(cwd, { predicate: bytes, attest: 'scan.jsonl' })).file, 'scan.jsonl')
    assert.deepEqual(statementIn(join(cwd, 'scan.jsonl')).predicate, { findings: 1 })
  })

  test('states nothing without a type, and nothing that is no object', async () => {
    const cwd = place()
    for (const more of [
      { type: undefined },
      { type: 7 },
      { predicate: undefined },
      { predicate: [] },
      { predicate: 7 },
    ])
      await assert.rejects(asked(cwd, more), { code: 'USAGE' })
    assert.deepEqual(readdirSync(cwd), [NAME])
  })

  test('states it only of what a lock pins, if one is named', async () => {
    const cwd = place()
    assert.equal((await run(['lock', 'add', NAME], undefined, { cwd })).exit, 0)
    assert.ok(await asked(cwd, { lock: 'rlp.lock' }))
    await assert.rejects(asked(cwd, { lock: 'none.lock', attest: 'x' }), { code: 'LOCK_UNUSABLE' })
    writeFileSync(join(cwd, NAME), bundleOf(agentTree({ name: 'mini' })))
    await assert.rejects(asked(cwd, { lock: 'rlp.lock', attest: 'x' }), { code: 'NOT_VERIFIED' })
    assert.equal(existsSync(join(cwd, 'x')), false)
  })

  test('states nothing of a stored bundle, which has no file beside it', async () => {
    const stated = attest('oci-layout:store:1', { cwd: place(), key: 'second', type: TYPE, predicate: {} })
    await assert.rejects(stated, { code: 'USAGE', message: /it is stored already$/ })
  })

  test('says that a bundle is not there, and not that it is unsound', async () => {
    const cwd = folder('none')
    await assert.rejects(asked(cwd, {}), { code: 'NOT_FOUND' })
  })

  test('is about the manifest alone where the bundle is unpacked', async () => {
    const cwd = place()
    writeTree(join(cwd, 'agent.bundle'), agentTree({ name: 'mini' }))
    await attest('agent.bundle', { cwd, key: 'second', type: TYPE, predicate: {}, attest: 'x' })
    assert.deepEqual(
      statementIn(join(cwd, 'x')).subjects.map(({ name }) => name),
      ['manifest.toml'],
    )
    await attest(NAME, { cwd, key: 'second', type: TYPE, predicate: {}, attest: 'y' })
    assert.deepEqual(
      statementIn(join(cwd, 'y')).subjects.map(({ name }) => name),
      [NAME, 'manifest.toml'],
    )
  })
})

describe('rlp agent attest', () => {
  const attesting = async (cwd: string, ...args: string[]) => {
    const { exit, stdout } = await run(['agent', 'attest', ...args, '--json'], undefined, { cwd })
    return { exit, ...JSON.parse(stdout) }
  }

  for (const [missing, args] of [
    ['type', ['--predicate', 'scan.json', '--key', 'second']],
    ['predicate', ['--type', TYPE, '--key', 'second']],
    ['key', ['--type', TYPE, '--predicate', 'scan.json']],
  ] as const)
    test(`names the option that is missing: --${missing}`, async () => {
      const { exit, code, message, field } = await attesting(place(), NAME, ...args)
      assert.deepEqual([exit, code, message], [2, 'USAGE', `Cannot attest: --${missing} is missing`])
      assert.equal(field, missing)
    })

  test('writes where --attest says, and has failures for a program only where there are some', async () => {
    const cwd = place()
    writeFileSync(join(cwd, 'scan.json'), '{}')
    const args = ['--type', TYPE, '--predicate', 'scan.json', '--key', 'second']
    const one = await attesting(cwd, NAME, ...args, '--attest', 'scan.jsonl')
    const { anchor: signer } = KEYS.second
    const stated = { bundle: NAME, type: TYPE, file: 'scan.jsonl', signer, changed: true }
    assert.deepEqual(one.result, { changed: true, bundles: [stated] })
    assert.equal(statementIn(join(cwd, 'scan.jsonl')).predicateType, TYPE)
    assert.equal(existsSync(join(cwd, `${NAME}.intoto.jsonl`)), false)
    writeFileSync(join(cwd, 'bent.agent.bundle'), 'no bundle')
    const both = await attesting(cwd, NAME, 'bent.agent.bundle', ...args)
    assert.deepEqual([both.exit, both.result.bundles.length, both.result.failed.length], [1, 1, 1])
  })
})

test('a predicate of more bytes than any reader takes is refused as too large, before it is read', () => {
  const manifest = { blake3: 'a'.repeat(64), sha256: 'b'.repeat(64) }
  const stated = (size: number) =>
    anyStatement(
      { file: undefined, manifest },
      { type: TYPE, predicate: Buffer.alloc(size, 'x'), label: 'p' },
    )
  const most = ATTESTATION_LIMITS.bytes
  assert.throws(() => stated(most + 1), {
    code: 'LIMIT_EXCEEDED',
    message: /^Cannot attest "p": it has more than/,
  })
  assert.throws(() => stated(most), { code: 'USAGE', field: 'predicate' })
})
