// rlp agent verify --key, option by option and in its log; and what a summary leaves out that it does not know.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { statedSummary } from '../../src/evidence/summary.ts'
import { sbom, summarize } from '../../src/library/generated/evidence.ts'
import type { Report } from '../../src/model/report.ts'
import type { TrustContext } from '../../src/model/trust.ts'
import { bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { ASKING, installKeys, KEYS, signed } from '../support/trust-world.ts'

const folder = temporary('summary-facts')
const NAME = 'mini-1.0.0.agent.bundle'
const POLICY = `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = { allow_caps = "any", allow_net = "any", allow_exec = true }\n`
const VERIFIER = 'https://ci.example/v'
const RESOURCE = 'https://r.example/mini'

before(() => {
  const home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
})

function place(bytes: Uint8Array = bundleOf(signed(ASKING, 'release'))): string {
  const cwd = folder('cwd')
  writeFileSync(join(cwd, NAME), bytes)
  return cwd
}

async function verified(cwd: string, ...args: string[]) {
  const ran = await run(['agent', 'verify', NAME, ...args, '--json'], undefined, { cwd })
  return { exit: ran.exit, ...JSON.parse(ran.stdout) }
}

describe('a summary', () => {
  for (const [missing, args] of [
    ['key', ['--verifier', VERIFIER, '--resource', RESOURCE]],
    ['verifier', ['--key', 'second', '--resource', RESOURCE]],
    ['resource', ['--key', 'second', '--verifier', VERIFIER]],
  ] as const)
    test(`needs --${missing}`, async () => {
      const { exit, message, field } = await verified(place(), ...args)
      assert.deepEqual([exit, message, field], [2, `Cannot attest: --${missing} is missing`, missing])
    })

  const ALL = ['--key', 'second', '--verifier', VERIFIER, '--resource', RESOURCE]

  test('is one of one trusted bundle, with the time that was stated', async () => {
    const { exit, result } = await verified(place(), ...ALL, '--time', '2026-11-20T00:00:00Z')
    assert.equal(exit, 0)
    assert.deepEqual([result.passed, result.summary], [true, { bundles: 1, trusted: 1 }])
    const [{ summary, attested }] = result.bundles
    assert.equal(summary.timeVerified, '2026-11-20T00:00:00Z')
    assert.equal(attested.file, `${NAME}.intoto.jsonl`)
  })

  test('goes where --attest says', async () => {
    const cwd = place()
    const { result } = await verified(cwd, ...ALL, '--attest', 'vsa.jsonl')
    assert.equal(result.bundles[0].attested.file, 'vsa.jsonl')
    assert.deepEqual(readdirSync(cwd).sort(), [NAME, 'vsa.jsonl'])
  })

  test('is in the log before it is signed: accepted if it is trusted, and not if a flag let it pass', async () => {
    const logged = async (bytes?: Uint8Array, ...more: string[]) => {
      const cwd = place(bytes)
      const { exit } = await verified(cwd, ...ALL, '--audit', 'audit.log', ...more)
      const lines = readFileSync(join(cwd, 'audit.log'), 'utf8').trimEnd().split('\n')
      return [exit, ...lines.map(line => JSON.parse(line)).map(one => `${one.verdict} ${one.accepted}`)]
    }
    assert.deepEqual(await logged(), [0, 'trusted true'])
    assert.deepEqual(await logged(bundleOf(ASKING)), [1, 'unsigned false'])
    assert.deepEqual(await logged(bundleOf(ASKING), '--allow-unsigned'), [1, 'unsigned false'])
  })

  test('has only what is known: no time, no lock, no statement, and only the anchors that grant', () => {
    const said = statedSummary(
      {
        verdict: 'trusted',
        skipped: [],
        policies: [],
        agent: null,
        judgements: [
          { granting: null, line: null },
          { granting: 'release', line: 5 },
        ],
      } as unknown as Report,
      { policies: [{ policy: undefined }], allowDev: false } as unknown as TrustContext,
      { blake3: '', sha256: '' },
      { verifier: VERIFIER, resource: RESOURCE },
    )
    const { 'urn:runloop:agent-bundle:verification:v1': more, ...rest } = said
    assert.deepEqual(Object.keys(rest), [
      ...['verifier', 'resourceUri', 'policy', 'verificationResult', 'verifiedLevels'],
    ])
    assert.deepEqual(more, {
      verdict: 'trusted',
      policies: [],
      notChecked: [],
      granting: [{ policy: 1, anchor: 'release', line: 5 }],
    })
  })
})

describe('in the library', () => {
  const uris = { verifier: VERIFIER, resource: RESOURCE }

  test('there is a summary without a signature, and none of what is not trusted', async () => {
    const made = await summarize(NAME, { cwd: place(), ...uris })
    assert.deepEqual([made.attested, made.report.verdict], [undefined, 'trusted'])
    await assert.rejects(summarize(NAME, { cwd: place(bundleOf(ASKING)), ...uris }), {
      name: 'NotVerifiedError',
      message: /^Cannot attest "mini-1\.0\.0\.agent\.bundle": unsigned: /,
    })
    await assert.rejects(summarize('none.bundle', { cwd: place(), ...uris, expect: 'mini' }), {
      code: 'NOT_FOUND',
    })
    for (const [field, wrong] of Object.entries({ verifier: 'me', resource: 'it' }))
      await assert.rejects(summarize(NAME, { cwd: place(), ...uris, [field]: wrong }), {
        code: 'USAGE',
        field,
      })
  })

  test('a file without a key, and a time that is no second, are refused', async () => {
    await assert.rejects(sbom(NAME, { cwd: place(), attest: 'x' }), { code: 'USAGE', field: 'key' })
    await assert.rejects(sbom(NAME, { cwd: place(), time: '2026-11-20' }), { code: 'USAGE', field: 'time' })
  })

  test('a statement of a bill goes where it is said', async () => {
    const cwd = place()
    const { attested } = await sbom(NAME, { cwd, key: 'second', attest: 'bill.jsonl' })
    assert.equal(attested?.file, 'bill.jsonl')
    assert.deepEqual(readdirSync(cwd).sort(), ['bill.jsonl', NAME].sort())
  })
})

test('a bill of a stored bundle is about the file that it would be, and goes to a file that is named', async () => {
  const cwd = place()
  const pushed = await run(['agent', 'push', NAME, 'oci-layout:store:1.0.0'], undefined, { cwd })
  assert.equal(pushed.exit, 0, pushed.stderr)
  const billed = (...args: string[]) =>
    run(['agent', 'sbom', 'oci-layout:store:1.0.0', '--key', 'second', ...args], undefined, { cwd })
  const refused = await billed()
  assert.equal(refused.exit, 2)
  assert.match(refused.stderr, /Cannot attest beside "oci-layout:store:1\.0\.0": it is stored elsewhere/)
  assert.equal((await billed('--attest', 'bill.jsonl')).exit, 0)
  const [line = ''] = readFileSync(join(cwd, 'bill.jsonl'), 'utf8').split('\n')
  const { subject } = JSON.parse(Buffer.from(JSON.parse(line).payload, 'base64').toString())
  assert.equal(subject[0].name, NAME)
})

describe('what is printed of statements', () => {
  const MANY = ['agent', 'provenance', '.', '--key', 'second', '--builder', 'https://ci.example/1']

  test('of several that are signed: each file with --quiet, and failures only where there are some', async () => {
    const cwd = place()
    writeFileSync(join(cwd, 'mini-1.1.0.agent.bundle'), bundleOf(signed(ASKING, 'release')))
    const quiet = await run([...MANY, '--quiet'], undefined, { cwd })
    const files = [NAME, 'mini-1.1.0.agent.bundle'].map(name => `${name}.intoto.jsonl\n`)
    assert.equal(quiet.stdout, files.join(''))
    const { result } = JSON.parse((await run([...MANY, '--json'], undefined, { cwd })).stdout)
    assert.deepEqual(Object.keys(result), ['bundles', 'changed'])
  })

  test('of one: the document itself, also with --quiet; or the file that it was signed into', async () => {
    const cwd = place()
    const one = ['agent', 'sbom', NAME]
    const { stdout } = await run(one, undefined, { cwd })
    assert.equal(JSON.parse(stdout).bomFormat, 'CycloneDX')
    assert.equal((await run([...one, '--quiet'], undefined, { cwd })).stdout, stdout)
    const signedOne = await run([...one, '--key', 'second', '--quiet'], undefined, { cwd })
    assert.equal(signedOne.stdout, `${NAME}.intoto.jsonl\n`)
    const { result } = JSON.parse((await run([...one, '--json'], undefined, { cwd })).stdout)
    assert.equal(result.changed, false)
    assert.deepEqual(Object.keys(result.bundles[0]), ['bom', 'bundle', 'changed', 'report'])
  })
})
