// rlp agent provenance, and rlp agent verify --key: what they state, what they leave out, and what a policy makes of it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { provenance, summarize } from '../../src/library/generated/evidence.ts'
import { readAttestation, readAttestations } from '../../src/statement/lines.ts'
import { readAttested } from '../../src/statement/statement.ts'
import { bundleOf, digestOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { ASKING, installKeys, KEYS, signed } from '../support/trust-world.ts'

const folderFor = temporary('statements')
const NAME = 'mini-1.0.0.agent.bundle'
const FILES = signed(ASKING, 'release')
const BYTES = bundleOf(FILES)
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const POLICY = `[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
`
const GITHUB = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/mini',
  GITHUB_WORKFLOW_REF: 'acme/mini/.github/workflows/release.yml@refs/heads/main',
  GITHUB_SHA: 'a'.repeat(40),
  GITHUB_REF: 'refs/heads/main',
  GITHUB_JOB: 'release',
  GITHUB_RUN_ID: '7',
  GITHUB_RUN_ATTEMPT: '2',
}
const GITLAB = {
  GITLAB_CI: 'true',
  CI_PROJECT_URL: 'https://gitlab.example/acme/mini',
  CI_RUNNER_ID: '12',
  CI_COMMIT_SHA: 'b'.repeat(40),
  CI_COMMIT_TAG: 'v1',
  CI_JOB_NAME: 'release',
  CI_JOB_URL: 'https://gitlab.example/acme/mini/-/jobs/9',
}

let home = ''
before(() => {
  home = folderFor('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
})

function place(bytes: Uint8Array = BYTES) {
  const cwd = folderFor('cwd')
  writeFileSync(join(cwd, NAME), bytes)
  return cwd
}

async function stated(cwd: string, args: readonly string[], env = {}) {
  const { exit, stdout, stderr } = await run(['agent', 'provenance', NAME, ...args], undefined, { cwd, env })
  assert.equal(exit, 0, stderr)
  return JSON.parse(stdout)
}

/** The statements in the file beside the bundle. */
function statementsIn(cwd: string, name = `${NAME}.intoto.jsonl`) {
  return readAttestations(name, readFileSync(join(cwd, name))).envelopes.map(({ bytes }) => {
    const read = readAttestation(bytes)
    const statement = read.ok ? readAttested(read.value.payload) : assert.fail(read.problem)
    return statement.ok ? statement.value : assert.fail(statement.problem)
  })
}

describe('provenance', () => {
  test('of GitHub Actions, and what was packed', async () => {
    const { buildDefinition, runDetails } = await stated(place(), [], GITHUB)
    assert.deepEqual(buildDefinition.externalParameters, {
      source: 'https://github.com/acme/mini',
      revision: 'a'.repeat(40),
      ref: 'refs/heads/main',
      job: 'release',
    })
    const [repository, ...rest] = buildDefinition.resolvedDependencies
    assert.deepEqual(repository, {
      uri: 'https://github.com/acme/mini',
      digest: { gitCommit: 'a'.repeat(40) },
    })
    assert.deepEqual(
      rest.slice(0, -1),
      Object.keys(ASKING)
        .sort()
        .map(path => ({
          name: path,
          digest: { sha256: sha256(ASKING[path] ?? ''), blake3: digestOf(ASKING[path] ?? '') },
        })),
    )
    assert.match(rest.at(-1).uri, /^pkg:npm\/rlp-bundle@/)
    assert.equal(
      runDetails.builder.id,
      'https://github.com/acme/mini/.github/workflows/release.yml@refs/heads/main',
    )
    assert.equal(runDetails.metadata.invocationId, 'https://github.com/acme/mini/actions/runs/7/attempts/2')
  })

  test('of GitLab CI', async () => {
    const { buildDefinition, runDetails } = await stated(place(), ['--time', '2026-11-20T00:00:00Z'], GITLAB)
    assert.deepEqual(buildDefinition.externalParameters, {
      source: 'https://gitlab.example/acme/mini',
      revision: 'b'.repeat(40),
      ref: 'refs/tags/v1',
      job: 'release',
    })
    assert.equal(runDetails.builder.id, 'https://gitlab.example/acme/mini/-/runners/12')
    assert.deepEqual(runDetails.metadata, {
      invocationId: 'https://gitlab.example/acme/mini/-/jobs/9',
      finishedOn: '2026-11-20T00:00:00Z',
    })
  })

  test('what is not known is left out, and what is stated goes first', async () => {
    const cwd = place()
    const bare = await stated(cwd, ['--builder', 'https://ci.example/1'])
    assert.deepEqual(bare.buildDefinition.externalParameters, {})
    assert.deepEqual(Object.keys(bare.runDetails), ['builder'])
    const partly = await stated(cwd, ['--revision', 'main'], {
      ...GITHUB,
      GITHUB_JOB: '',
      GITHUB_RUN_ID: undefined,
    })
    assert.equal(partly.buildDefinition.externalParameters.revision, 'main')
    assert.equal(partly.buildDefinition.externalParameters.job, undefined)
    assert.deepEqual(partly.buildDefinition.resolvedDependencies[0], { uri: 'https://github.com/acme/mini' })
    assert.equal(partly.runDetails.metadata, undefined)
  })

  for (const [name, env, args, why] of [
    ['without a builder', {}, [], /the builder is not known/],
    ['in two pipelines at once', { ...GITHUB, ...GITLAB }, [], /the builder is not known/],
    ['in one that says nothing else', { GITHUB_ACTIONS: 'true' }, [], /the builder is not known/],
    ['by a builder that is no URI', {}, ['--builder', 'me'], /it is no URI/],
    [
      'from a source that is no URI',
      {},
      ['--builder', 'https://a.example', '--source', 'here'],
      /it is no URI/,
    ],
  ] as const) {
    test(`${name} is refused`, async () => {
      const cwd = place()
      const ran = await run(['agent', 'provenance', NAME, '--key', 'second', ...args], undefined, {
        cwd,
        env,
      })
      assert.equal(ran.exit, 2)
      assert.match(ran.stderr, why)
      assert.throws(() => readFileSync(join(cwd, `${NAME}.intoto.jsonl`)), /ENOENT/)
    })
  }

  test('of a bundle that is not sound is refused; one without signature is sound', async () => {
    const args = ['agent', 'provenance', NAME, '--builder', 'https://ci.example/1']
    assert.equal((await run(args, undefined, { cwd: place(bundleOf(ASKING)) })).exit, 0)
    const damaged = place(bundleOf({ ...FILES, 'README.md': 'other' }))
    const ran = await run(args, undefined, { cwd: damaged })
    assert.equal(ran.exit, 1)
    assert.match(ran.stderr, /Cannot state the provenance of/)
  })
})

describe('a summary of a verification', () => {
  const URIS = ['--verifier', 'https://ci.example/verifier', '--resource', 'https://r.example/mini']

  test('says the verdict, the policies and the ceiling, each time in the same bytes', async () => {
    const cwd = place()
    const args = ['agent', 'verify', NAME, '--key', 'second', ...URIS]
    const ran = await run(args, undefined, { cwd })
    assert.equal(ran.exit, 0, ran.stderr)
    assert.match(
      ran.stdout,
      /\ntrusted\n✓ mini-1.0.0.agent.bundle.intoto.jsonl: verification summary signed by/,
    )
    const [statement] = statementsIn(cwd)
    const digest = { blake3: digestOf(POLICY) }
    assert.equal(statement?.predicateType, 'https://slsa.dev/verification_summary/v1')
    assert.deepEqual(statement?.subjects[0], { name: NAME, digest: { sha256: sha256(BYTES) } })
    const { verifier, ...rest } = statement?.predicate ?? {}
    assert.equal((verifier as { id: string }).id, 'https://ci.example/verifier')
    assert.deepEqual(rest, {
      resourceUri: 'https://r.example/mini',
      policy: {
        name: 'trust-policy.toml',
        digest,
        uri: `urn:runloop:trust-policy:blake3:${digest.blake3}`,
      },
      verificationResult: 'PASSED',
      verifiedLevels: ['RLP_TRUSTED'],
      'urn:runloop:agent-bundle:verification:v1': {
        verdict: 'trusted',
        policies: [{ role: 'user', digest }],
        granting: [{ policy: 0, anchor: 'release', line: 5 }],
        notChecked: [],
      },
    })
    const before = readFileSync(join(cwd, `${NAME}.intoto.jsonl`))
    await run(args, undefined, { cwd })
    assert.deepEqual(readFileSync(join(cwd, `${NAME}.intoto.jsonl`)), before)
  })

  test('names the statements that were demanded', async () => {
    const cwd = place()
    const policy = `${POLICY}[require]\nattestations = [{ type = "https://slsa.dev/provenance/v1", by = ["ci"], builder = "https://ci.example/1" }]\n`
    writeFileSync(join(cwd, 'policy.toml'), policy, { mode: 0o600 })
    const verifying = ['agent', 'verify', NAME, '--trust-policy', 'policy.toml']
    assert.equal((await run(verifying, undefined, { cwd })).exit, 1)
    const build = ['agent', 'provenance', NAME, '--builder', 'https://ci.example/1', '--key', 'second']
    assert.equal((await run(build, undefined, { cwd })).exit, 0)
    assert.equal((await run(verifying, undefined, { cwd })).exit, 0)
    const [line] = readAttestations('', readFileSync(join(cwd, `${NAME}.intoto.jsonl`))).envelopes
    await run([...verifying, '--key', 'second', ...URIS, '--attest', 'vsa.jsonl'], undefined, { cwd })
    const [statement] = statementsIn(cwd, 'vsa.jsonl')
    assert.deepEqual(statement?.predicate['inputAttestations'], [
      { digest: { sha256: sha256(line?.bytes ?? '') } },
    ])
  })

  for (const [name, files, args, exit] of [
    ['untrusted', signed(ASKING, 'stranger'), [], 1],
    ['unsigned', ASKING, ['--allow-unsigned'], 1],
    ['invalid', { ...FILES, 'README.md': 'other' }, [], 1],
  ] as const) {
    test(`there is no summary of what is ${name}`, async () => {
      const cwd = place(bundleOf(files))
      const ran = await run(['agent', 'verify', NAME, '--key', 'second', ...URIS, ...args], undefined, {
        cwd,
      })
      assert.equal(ran.exit, exit)
      assert.match(ran.stderr, new RegExp(`Cannot attest "${NAME}": ${name}: `))
      assert.throws(() => readFileSync(join(cwd, `${NAME}.intoto.jsonl`)), /ENOENT/)
    })
  }

  for (const [args, why] of [
    [['--attest', 'x'], /--key is missing/],
    [['--key', 'second'], /--verifier is missing/],
    [['--key', 'second', '--verifier', 'https://a.example'], /--resource is missing/],
    [['--key', 'second', '--verifier', 'me', '--resource', 'https://a.example'], /it is no URI/],
    [['--key', 'second', ...URIS, 'other.agent.bundle'], /a summary is about one bundle/],
  ] as const) {
    test(`${args.join(' ')} is refused`, async () => {
      const ran = await run(['agent', 'verify', NAME, ...args], undefined, { cwd: place() })
      assert.equal(ran.exit, 2)
      assert.match(ran.stderr, why)
    })
  }
})

test('the library states the same', async () => {
  const cwd = place()
  const made = await provenance(NAME, { cwd, env: GITHUB, key: 'second' })
  assert.deepEqual(made.provenance, await stated(cwd, [], GITHUB))
  const uris = { verifier: 'https://ci.example/verifier', resource: 'https://r.example/mini' }
  const { summary, attested } = await summarize(NAME, { cwd, key: 'second', ...uris })
  assert.equal(attested?.signer, KEYS.second.anchor)
  const statements = statementsIn(cwd)
  assert.deepEqual(statements[0]?.predicate, made.provenance)
  assert.deepEqual(statements[1]?.predicate, summary)
  await assert.rejects(summarize(NAME, { cwd, ...uris, expect: 'other' }), /untrusted/)
})
