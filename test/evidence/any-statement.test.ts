// rlp agent attest: what is signed is what was written, counts where a policy requires it, and no statement that only rlp may make is made.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { readAttestation, readAttestations } from '../../src/statement/lines.ts'
import { readAttested } from '../../src/statement/statement.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, REVIEW, type World, world } from '../support/install-world.ts'
import { installKeys, KEYS } from '../support/trust-world.ts'

const folder = temporary('any-statement')
const TYPE = 'https://scan.example/v1'
/** A number that no double holds, and an order of its own. */
const SCAN = '{ "z": 12345678901234567890.10, "a": [] }\n'

/** A key that attests, and whose statement is required. */
function setPolicy({ home }: World): void {
  const text = `[anchors]
release = "${RELEASE.anchor}"
ci = { key = "${KEYS.security.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
attestations = [{ type = "${TYPE}", by = ["ci"] }]
`
  writeFileSync(join(home, 'trust-policy.toml'), text, { mode: 0o600 })
}

async function verdictIn(here: World): Promise<string | undefined> {
  const { envelope } = await here.rlp('agent', 'verify', 'b', '--expect', 'mini')
  return envelope.result?.bundles?.[0]?.verdict
}

describe('agent attest', () => {
  let here: World
  before(() => {
    here = world(folder('attest'))
    installKeys(here.home)
    here.put('b', made({}, RELEASE))
    writeFileSync(join(here.cwd, 'scan.json'), SCAN)
    setPolicy(here)
  })

  const attest = (...more: string[]) =>
    here.rlp('agent', 'attest', 'b', '--type', TYPE, '--key', 'security', ...more)
  const verdict = () => verdictIn(here)

  test('signs the predicate as it is written, and it counts where a policy requires it', async () => {
    assert.equal(await verdict(), 'untrusted')
    const { exit, envelope } = await attest('--predicate', 'scan.json')
    assert.equal(exit, 0, JSON.stringify(envelope))
    const { envelopes } = readAttestations('x', readFileSync(join(here.cwd, 'b.intoto.jsonl')))
    const read = readAttestation(envelopes[0]?.bytes ?? new Uint8Array())
    assert.ok(read.ok)
    assert.ok(Buffer.from(read.value.payload).toString().endsWith(`,"predicate":${SCAN.trim()}}`))
    const stated = readAttested(read.value.payload)
    assert.ok(stated.ok)
    assert.equal(stated.value.predicateType, TYPE)
    assert.equal(await verdict(), 'trusted')
  })

  test('of another type, or by another key, it does not count', async () => {
    const other = world(folder('other'))
    installKeys(other.home)
    other.put('b', made({}, RELEASE, REVIEW))
    writeFileSync(join(other.cwd, 'scan.json'), SCAN)
    setPolicy(other)
    for (const [type, key, expected] of [
      ['https://scan.example/v2', 'security', 'untrusted'],
      [TYPE, 'release', 'untrusted'],
      [TYPE, 'security', 'trusted'],
    ] as const) {
      const words = ['agent', 'attest', 'b', '--type', type, '--key', key, '--predicate', 'scan.json']
      assert.equal((await other.rlp(...words)).exit, 0)
      assert.equal(await verdictIn(other), expected, `${type} ${key}`)
    }
  })

  for (const [what, words, code] of [
    ['no URI', ['--type', 'scan'], 'USAGE'],
    ['the statement that is a signature', ['--type', 'urn:runloop:agent-bundle:v1'], 'USAGE'],
    ['a verification summary', ['--type', 'https://slsa.dev/verification_summary/v1'], 'USAGE'],
    ['no type', [], 'USAGE'],
  ] as const)
    test(`refuses ${what}`, async () => {
      const line = [
        'agent',
        'attest',
        'b',
        ...words,
        '--predicate',
        'scan.json',
        '--key',
        'security',
        '--attest',
        'none.jsonl',
      ]
      assert.equal((await here.rlp(...line)).envelope.code, code)
      assert.equal(existsSync(join(here.cwd, 'none.jsonl')), false)
    })

  for (const [what, text] of [
    ['no JSON', '{'],
    ['a list', '[]'],
    ['a member twice', '{"a":1,"a":2}'],
    ['more than one value', '{}{}'],
    ['an end that adds members', '{}, "predicateType": "x", "z": {}'],
    ['more than any reader reads', `{"a":"${'x'.repeat(1024 * 1024)}"}`],
  ] as const)
    test(`refuses a predicate that is ${what}`, async () => {
      writeFileSync(join(here.cwd, 'bad.json'), text)
      const before = readFileSync(join(here.cwd, 'b.intoto.jsonl'))
      assert.notEqual((await attest('--predicate', 'bad.json')).exit, 0)
      assert.deepEqual(readFileSync(join(here.cwd, 'b.intoto.jsonl')), before)
    })

  test('takes a predicate from standard input, and a folder of bundles', async () => {
    const many = world(folder('many'))
    installKeys(many.home)
    many.put('a.agent.bundle', made({ name: 'a' }, RELEASE))
    many.put('b.agent.bundle', made({ name: 'b' }, RELEASE))
    process.env['RUNLOOP_HOME'] = many.home
    const words = ['agent', 'attest', '.', '--type', TYPE, '--key', 'security', '--predicate', '-', '--json']
    const { exit, stdout } = await run(words, undefined, { cwd: many.cwd, input: '{}' })
    assert.equal(exit, 0, stdout)
    assert.deepEqual(JSON.parse(stdout).result.bundles.length, 2)
    assert.ok(existsSync(join(many.cwd, 'a.agent.bundle.intoto.jsonl')))
  })

  test('states nothing about a bundle that is not sound', async () => {
    const bytes = made({}, RELEASE)
    bytes[700] = (bytes[700] ?? 0) ^ 1
    here.put('bent', bytes)
    const line = ['agent', 'attest', 'bent', '--type', TYPE, '--key', 'security', '--predicate', 'scan.json']
    assert.equal((await here.rlp(...line)).envelope.code, 'NOT_VERIFIED')
    assert.equal(existsSync(join(here.cwd, 'bent.intoto.jsonl')), false)
  })
})
