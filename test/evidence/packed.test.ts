// rlp agent pack --provenance: the statement that rlp agent provenance would make, signed before the bundle takes its place, or neither.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { pack } from '../../src/library/generated/index.ts'
import { sha256Of } from '../../src/oci/manifest.ts'
import { readAttestation, readAttestations } from '../../src/statement/lines.ts'
import { readAttested } from '../../src/statement/statement.ts'
import { run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { ASKING, installKeys, KEYS } from '../support/trust-world.ts'

const folder = temporary('packed')
const BUNDLE = 'dist/mini-1.0.0.agent.bundle'
const FILE = `${BUNDLE}.intoto.jsonl`
const BUILT = ['--builder', 'https://ci.example/1', '--source', 'https://git.example/acme/mini']
const STATING = ['--provenance', ...BUILT, '--key', 'second']
const POLICY = `[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
attestations = [{ type = "https://slsa.dev/provenance/v1", by = ["ci"], builder = "https://ci.example/1", source = "https://git.example/acme/mini" }]
`

let home = ''
before(() => {
  home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
})

/** A folder with the sources of one agent or of several. */
function place(...names: readonly string[]): string {
  const cwd = folder('cwd')
  for (const name of names.length > 0 ? names : ['mini']) {
    for (const [path, content] of Object.entries(ASKING)) {
      const file = join(cwd, 'agents', name, path)
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, path === 'manifest.toml' ? String(content).replace('"mini"', `"${name}"`) : content)
    }
  }
  return cwd
}

const rlp = (cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(['agent', ...args], undefined, { cwd, env })

function statementsIn(path: string) {
  return readAttestations(path, readFileSync(path)).envelopes.map(({ bytes }) => {
    const read = readAttestation(bytes)
    const statement = read.ok ? readAttested(read.value.payload) : assert.fail(read.problem)
    return statement.ok ? statement.value : assert.fail(statement.problem)
  })
}

describe('pack states who built it', () => {
  test('as rlp agent provenance does of what was packed', async () => {
    const cwd = place()
    const packed = await rlp(cwd, ['pack', ...STATING, '--json'])
    assert.equal(packed.exit, 0, packed.stderr)
    const [one] = JSON.parse(packed.stdout).result.bundles
    assert.deepEqual(one.attested, { file: FILE, signer: KEYS.second.anchor, changed: true })
    const [statement] = statementsIn(join(cwd, FILE))
    assert.deepEqual(statement?.predicate, one.provenance)
    assert.deepEqual(statement?.subjects[0], {
      name: 'mini-1.0.0.agent.bundle',
      digest: { sha256: sha256Of(readFileSync(join(cwd, BUNDLE))).slice('sha256:'.length) },
    })
    const inOneCall = readFileSync(join(cwd, FILE))
    const after = await rlp(cwd, [
      'provenance',
      BUNDLE,
      ...BUILT,
      '--key',
      'second',
      '--attest',
      'after.jsonl',
    ])
    assert.equal(after.exit, 0, after.stderr)
    assert.deepEqual(readFileSync(join(cwd, 'after.jsonl')), inOneCall)
  })

  test('and what it stated holds when the bundle is signed: it is about the manifest', async () => {
    const cwd = place()
    await rlp(cwd, ['pack', ...STATING])
    const unsigned = sha256Of(readFileSync(join(cwd, BUNDLE)))
    assert.equal((await rlp(cwd, ['sign', BUNDLE, '--key', 'release'])).exit, 0)
    assert.notEqual(sha256Of(readFileSync(join(cwd, BUNDLE))), unsigned)
    const verified = await rlp(cwd, ['verify', BUNDLE])
    assert.equal(verified.exit, 0, verified.stdout)
    const none = await rlp(cwd, ['verify', BUNDLE, '--attestations', 'agents/mini/README.md', '--json'])
    assert.equal(JSON.parse(none.stdout).result.bundles[0].reasons[0].code, 'attestation_missing')
    // Stated anew, it names the file as it is now, in the place of what the same key said before.
    const again = await rlp(cwd, ['provenance', BUNDLE, ...BUILT, '--key', 'second'])
    assert.equal(again.exit, 0, again.stderr)
    const statements = statementsIn(join(cwd, FILE))
    assert.equal(statements.length, 1)
    const signed = sha256Of(readFileSync(join(cwd, BUNDLE))).slice('sha256:'.length)
    assert.equal(statements[0]?.subjects[0]?.digest['sha256'], signed)
  })

  test('of many agents, in gzip, and in one file that is named', async () => {
    const cwd = place('mini', 'more')
    const packed = await rlp(cwd, ['pack', ...STATING, '--gzip', '--attest', 'all.jsonl'])
    assert.equal(packed.exit, 0, packed.stderr)
    const about = statementsIn(join(cwd, 'all.jsonl')).map(({ subjects }) => subjects[0])
    const digestOf = (name: string) => sha256Of(readFileSync(join(cwd, 'dist', name))).slice('sha256:'.length)
    assert.deepEqual(
      about,
      ['mini-1.0.0.agent.bundle.gz', 'more-1.0.0.agent.bundle.gz'].map(name => ({
        name,
        digest: { sha256: digestOf(name) },
      })),
    )
  })

  test('in a pipeline by what it says of itself', async () => {
    const cwd = place()
    const env = { GITLAB_CI: 'true', CI_PROJECT_URL: 'https://gitlab.example/a', CI_RUNNER_ID: '7' }
    assert.equal((await rlp(cwd, ['pack', '--provenance', '--key', 'second'], env)).exit, 0)
    const { provenance, attested } = await pack('agents/mini', {
      cwd,
      env,
      outDir: 'other',
      provenance: { key: 'second' },
    })
    const [statement] = statementsIn(join(cwd, FILE))
    assert.deepEqual(statement?.predicate, provenance)
    assert.equal(attested?.file, 'other/mini-1.0.0.agent.bundle.intoto.jsonl')
    assert.deepEqual(readFileSync(join(cwd, attested.file)), readFileSync(join(cwd, FILE)))
  })
})

describe('nothing is written', () => {
  for (const [name, args, why] of [
    ['without a builder', ['--provenance', '--key', 'second'], /the builder is not known/],
    ['by a builder that is no URI', ['--provenance', '--key', 'second', '--builder', 'me'], /it is no URI/],
    ['without a key', ['--provenance', ...BUILT], /--key is missing/],
    [
      'with a key that is not there',
      ['--provenance', ...BUILT, '--key', 'missing'],
      /missing.pem": no such file/,
    ],
    ['with a time that is no second', [...STATING, '--time', 'now'], /it is not a UTC second/],
    ['with --builder alone', BUILT, /Cannot use --builder without --provenance/],
    ['with --check', [...STATING, '--check', BUNDLE], /Cannot use --provenance with --check/],
  ] as const) {
    test(name, async () => {
      const cwd = place()
      const ran = await rlp(cwd, ['pack', ...args])
      assert.equal(ran.exit, 2)
      assert.match(ran.stderr, why)
      assert.equal(existsSync(join(cwd, 'dist')), false)
    })
  }

  test('where lint has errors, not even the statement', async () => {
    const cwd = place()
    writeFileSync(join(cwd, 'agents/mini/README.md'), 'other')
    const ran = await rlp(cwd, ['pack', ...STATING])
    assert.deepEqual([ran.exit, existsSync(join(cwd, 'dist'))], [1, false])
  })

  test('by a signer that fails: the bundle that was there stays, with what was stated of it', async () => {
    const cwd = place()
    assert.equal((await rlp(cwd, ['pack', ...STATING])).exit, 0)
    const before = snapshot(join(cwd, 'dist'))
    writeFileSync(join(cwd, 'agents/mini/README.md'), '# other\n')
    assert.equal((await rlp(cwd, ['digest'])).exit, 0)
    const signer = join(cwd, 'signer')
    const key = `{"key":"${KEYS.second.anchor}"}`
    writeFileSync(
      signer,
      `#!/bin/sh\nread q\ncase $q in *public-key*) echo '${key}' ;; *) echo '{"sig":"${Buffer.alloc(64).toString('base64')}"}' ;; esac\n`,
    )
    chmodSync(signer, 0o755)
    const failed = await rlp(cwd, ['pack', '--provenance', ...BUILT, '--key', `command:${signer}`], {
      PATH: process.env['PATH'] ?? '',
    })
    assert.equal(failed.exit, 1)
    assert.match(failed.stderr, /what the signer answered is no signature of/)
    assert.deepEqual(snapshot(join(cwd, 'dist')), before)
    // The control: with a signer that signs, both change.
    assert.equal((await rlp(cwd, ['pack', ...STATING])).exit, 0)
    assert.notDeepEqual(snapshot(join(cwd, 'dist')), before)
    assert.equal(statementsIn(join(cwd, FILE)).length, 2)
  })

  test('in the library, for a key or an option that is missing', async () => {
    const cwd = place()
    const provenance = { builder: 'https://ci.example/1', key: 'second' }
    await assert.rejects(
      pack('agents/mini', { cwd, env: {}, provenance: { key: 'second' } }),
      /builder is not known/,
    )
    await assert.rejects(
      pack('agents/mini', { cwd, env: {}, provenance: { ...provenance, bulider: 'x' } as typeof provenance }),
      /there is no "bulider"/,
    )
    const keyless = { builder: provenance.builder } as typeof provenance
    await assert.rejects(pack('agents/mini', { cwd, env: {}, provenance: keyless }), /key is missing/)
    assert.equal(existsSync(join(cwd, 'dist')), false)
    assert.ok((await pack('agents/mini', { cwd, env: {}, provenance })).attested)
  })
})
