// What a statement says of several policies, of commits and of hosts, each fact by itself.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { services } from '../../src/evidence/bom.ts'
import { buildIn, provenanceOf } from '../../src/evidence/provenance.ts'
import { statedSummary } from '../../src/evidence/summary.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { Report } from '../../src/model/report.ts'
import type { TrustContext } from '../../src/model/trust.ts'
import { readPolicySource } from '../../src/trust-policy/read-policy.ts'
import { digestOf } from '../support/agent.ts'
import { attestation, PROVENANCE } from '../support/attested.ts'
import { ASKING, KEYS, signed } from '../support/trust-world.ts'

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const NO_FILES = { list: [] } as unknown as Agent['files']

describe('a summary under two policies', () => {
  const FILES = signed(ASKING, 'release')
  const requiring = (by: string) =>
    Buffer.from(
      `[anchors]\nrelease = "${KEYS.release.anchor}"\nci = { key = "${KEYS.second.anchor}", use = ["attest"] }\nqa = { key = "${KEYS.security.anchor}", use = ["attest"] }\n[require]\nattestations = [{ type = "${PROVENANCE}", by = ["${by}"] }]\n`,
    )
  const summary = (system: string, user: string) => {
    const envelopes = [
      { where: 'ci', bytes: attestation(FILES, [KEYS.second]) },
      { where: 'qa', bytes: attestation(FILES, [KEYS.security]) },
      { where: 'eve', bytes: attestation(FILES, [KEYS.stranger]) },
    ]
    const policies = [
      readPolicySource('system', 'system', requiring(system)),
      readPolicySource('user', 'user', requiring(user)),
    ]
    const report = {
      verdict: 'trusted',
      skipped: [],
      judgements: [],
      agent: { name: 'mini', version: '1.0.0' },
      policies: policies.map(({ role, digest }) => ({ role, digest })),
    }
    const trust = { attestations: { label: '', envelopes, problem: undefined }, policies, allowDev: false }
    const manifest = String(FILES['manifest.toml'])
    const said = statedSummary(
      report as unknown as Report,
      trust as unknown as TrustContext,
      { blake3: digestOf(manifest), sha256: sha256(manifest) },
      { verifier: 'https://v.example', resource: 'https://r.example' },
    )
    return { said, envelopes, digests: policies.map(({ digest }) => digest) }
  }

  test('names the user’s policy, and both in the extension', () => {
    const { said, digests } = summary('ci', 'qa')
    const [, user] = digests
    assert.deepEqual((said['policy'] as { digest: object }).digest, { blake3: user })
    const { policies } = said['urn:runloop:agent-bundle:verification:v1'] as { policies: object[] }
    assert.deepEqual(policies, [
      { role: 'system', digest: { blake3: digests[0] } },
      { role: 'user', digest: { blake3: user } },
    ])
  })

  test('names each statement that one of them required, once', () => {
    const named = ({ said, envelopes }: ReturnType<typeof summary>) =>
      (said['inputAttestations'] as { digest: { sha256: string } }[]).map(
        ({ digest }) => envelopes.find(({ bytes }) => sha256(bytes) === digest.sha256)?.where,
      )
    assert.deepEqual(named(summary('ci', 'qa')), ['ci', 'qa'])
    assert.deepEqual(named(summary('ci', 'ci')), ['ci'])
  })
})

test('a revision is a digest if it is a commit of sha1 or sha256', () => {
  const digest = (revision: string) => {
    const facts = { builder: 'https://b.example', source: 'https://s.example', revision }
    const none = { ref: undefined, job: undefined, run: undefined, program: undefined, time: undefined }
    const { buildDefinition } = provenanceOf({ files: NO_FILES } as Agent, { ...facts, ...none })
    return (buildDefinition as { resolvedDependencies: { digest?: object }[] }).resolvedDependencies[0]
      ?.digest
  }
  for (const length of [40, 64])
    assert.deepEqual(digest('a1'.repeat(length / 2)), { gitCommit: 'a1'.repeat(length / 2) })
  for (const other of [
    'a'.repeat(39),
    'a'.repeat(41),
    'a'.repeat(63),
    'a'.repeat(65),
    'A'.repeat(40),
    'main',
  ])
    assert.equal(digest(other), undefined, other)
})

test('a granted host is the one of a call on its port, and without a port on any', () => {
  const named = (granted: readonly string[], ...urls: readonly string[]) => {
    const tools = urls.map((url, at) => ({
      id: `t${at}`,
      secrets: at === 0 ? ['KEY'] : [],
      transport: { kind: 'http', method: 'GET', url, headers: {} },
    }))
    const agent = { tools: { tools }, policy: { net: { hosts: granted } } } as unknown as Agent
    return services(agent).map(one => [one['name'], one['authenticated']])
  }
  const url = 'https://h.example:8443/x'
  const called = ['h.example:8443', true]
  assert.deepEqual(named(['h.example:8443'], url), [called])
  assert.deepEqual(named(['h.example'], url), [called])
  for (const other of ['h.example:443', 'h.example:84', 'i.example:8443', 'x.h.example'])
    assert.deepEqual(named([other], url), [called, [other, undefined]], other)
  assert.deepEqual(named([], 'https://a.example/1', 'https://b.example/2', 'https://a.example/3'), [
    ['a.example:443', true],
    ['b.example:443', false],
  ])
})

describe('what a pipeline says', () => {
  const GITHUB = {
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://g.example',
    GITHUB_REPOSITORY: 'a/b',
    GITHUB_RUN_ID: '7',
  }

  test('is told as far as it is said', () => {
    const { run, source, builder } = buildIn(GITHUB)
    assert.deepEqual(
      [run, source, builder],
      ['https://g.example/a/b/actions/runs/7', 'https://g.example/a/b', undefined],
    )
    assert.equal(buildIn({ ...GITHUB, GITHUB_RUN_ATTEMPT: '2' }).run, `${run}/attempts/2`)
    assert.equal(buildIn({ ...GITHUB, GITHUB_REPOSITORY: '' }).source, undefined)
    const gitlab = { GITLAB_CI: 'true', CI_COMMIT_BRANCH: 'main' }
    assert.equal(buildIn(gitlab).ref, 'refs/heads/main')
    assert.equal(buildIn({ ...gitlab, CI_COMMIT_TAG: 'v1' }).ref, 'refs/tags/v1')
  })

  test('is nothing where none runs, where two run, and in a text without end', () => {
    for (const env of [{}, { ...GITHUB, GITHUB_ACTIONS: '1' }, { ...GITHUB, GITLAB_CI: 'true' }])
      assert.equal(buildIn(env).source, undefined)
    const sha = (length: number) => buildIn({ ...GITHUB, GITHUB_SHA: 'a'.repeat(length) }).revision?.length
    assert.deepEqual([sha(2000), sha(2001)], [2000, undefined])
  })
})
