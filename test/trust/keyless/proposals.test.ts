// What rlp trust add --for proposes of a certificate: an identity by ids that the certificate fits, of what is proven and of nothing else.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { blake3Hex } from '../../../src/bundle/blake3.ts'
import { readBundle } from '../../../src/io/bundle/read-bundle.ts'
import type { RlpError } from '../../../src/model/error.ts'
import type { CertificateFacts } from '../../../src/model/keyless.ts'
import { KEYLESS_LIMITS } from '../../../src/model/limits.ts'
import { readCertificate } from '../../../src/sigstore/certificate.ts'
import { readSigstoreBundle } from '../../../src/sigstore/sigstore-bundle.ts'
import { assertSignedBy, proofsOf, proposalFrom } from '../../../src/trust/new-signer.ts'
import { fitsIdentity, proposedIdentity } from '../../../src/trust-policy/identity-fits.ts'
import { bundleOf } from '../../support/agent.ts'
import {
  answerTo,
  GITLAB_JOB,
  PAYLOAD,
  policyFor,
  policyWith,
  TREE,
  WORLD,
} from '../../support/keyless-world.ts'
import { type Certifying, GITHUB, JOB, pair, sigstoreWorld } from '../../support/sigstore-world.ts'

/** What the certificate of a signature says. */
function factsOf(certifying: Certifying): CertificateFacts {
  const bundle = readSigstoreBundle(WORLD.line(PAYLOAD, certifying))
  assert.ok(bundle.ok)
  const read = readCertificate(bundle.value.certificate)
  assert.ok(read.ok)
  return read.facts
}

const at = (ref: string, more: Readonly<Record<number, string>> = {}): Certifying => {
  const config = `${JOB[12]}/.github/workflows/release.yml@${ref}`
  return { claims: { ...JOB, 9: config, 14: ref, 18: config, ...more } }
}

const without = (number: number, { claims = {} }: Certifying) =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => key !== String(number)))

const PIPELINE = {
  issuer: GITHUB,
  repository_id: '123456789',
  owner_id: '42',
  workflow: '.github/workflows/release.yml',
  ref: 'refs/tags/v*',
  runner: 'github-hosted',
}

describe('what is proposed', () => {
  const REUSED = 'https://github.com/acme/build/.github/workflows/agent.yml'
  const { runner: _, ...GITLAB } = {
    ...PIPELINE,
    issuer: 'https://gitlab.com',
    repository_id: '7',
    owner_id: '8',
  }
  const person = { claims: { 8: 'https://accounts.example' }, names: [[1, 'ada@acme.example']] } as const
  const service = {
    claims: { 8: 'https://spiffe.example' },
    names: [[6, 'spiffe://acme.example/ci']],
  } as const
  const cases: Readonly<Record<string, readonly [Certifying, object]>> = {
    'a job at a tag': [{}, PIPELINE],
    'a job at a branch': [at('refs/heads/release/1.x'), { ...PIPELINE, ref: 'refs/heads/release/1.x' }],
    'a job in an environment': [
      at(JOB[14], { 23: 'production' }),
      { ...PIPELINE, environment: 'production' },
    ],
    'a reusable workflow': [
      at(JOB[14], { 9: `${REUSED}@refs/heads/main`, 10: 'b'.repeat(40) }),
      { ...PIPELINE, builder: REUSED, builder_digest: 'b'.repeat(40) },
    ],
    'a job of GitLab': [
      { claims: GITLAB_JOB },
      { ...GITLAB, workflow: '.gitlab-ci.yml', ref: 'refs/heads/main' },
    ],
    'a person': [person, { issuer: 'https://accounts.example', email: 'ada@acme.example' }],
    'another signer': [service, { issuer: 'https://spiffe.example', subject: 'spiffe://acme.example/ci' }],
  }
  for (const [name, [certifying, identity]] of Object.entries(cases))
    test(name, async () => {
      const proposed = proposedIdentity(factsOf(certifying))
      assert.deepEqual(proposed, { identity })
      const anchor = Object.entries(identity).map(([key, text]) => `${key} = ${JSON.stringify(text)}`)
      assert.equal(await answerTo({ policy: policyFor(anchor.join(', ')), certifying }), 'trusted')
    })
  for (const [found, proposed] of [
    ['refs/tags/v1.2.3', 'refs/tags/v*'],
    ['refs/tags/release-v2', 'refs/tags/release-v*'],
    ['refs/tags/mailer/v10', 'refs/tags/mailer/v*'],
    ['refs/tags/1.2.3', 'refs/tags/1.2.3'],
    ['refs/tags/latest', 'refs/tags/latest'],
    ['refs/heads/v1', 'refs/heads/v1'],
    ['refs/heads/main', 'refs/heads/main'],
  ] as const)
    test(`of ${found}: ${proposed}`, () => {
      const is = proposedIdentity(factsOf(at(found)))
      assert.equal('identity' in is && is.identity.ref, proposed)
    })
  test('whatever a certificate says, it fits what is proposed of it', () => {
    const text = fc.oneof(
      fc.string({ minLength: 1, maxLength: 12 }),
      fc.constantFrom('refs/tags/v1', 'refs/tags/*', 'refs/heads/a*', '@', 'push', '\u202e', 'https://x'),
    )
    const fact = fc.option(text, { nil: undefined })
    const tag = fc.stringMatching(/^[a-z0-9./*-]{0,8}$/).map(name => `refs/tags/${name}`)
    const pipelines = fc.record({
      ref: fc.oneof(text, tag),
      id: text,
      owner: fact,
      env: fact,
      runner: fact,
      path: text,
    })
    fc.assert(
      fc.property(pipelines, ({ ref, id, owner, env, runner, path }) => {
        const config = `https://git.example/a//${path}@${ref}`
        const facts = {
          issuer: 'https://ci.example',
          source: 'https://git.example/a',
          trigger: 'push',
          ref,
          repository_id: id,
          config,
          signer: config,
          ...(owner !== undefined && { owner_id: owner }),
          ...(env !== undefined && { environment: env }),
          ...(runner !== undefined && { runner }),
        }
        const is = proposedIdentity(facts)
        if ('problem' in is) return
        assert.ok(fitsIdentity(is.identity, facts))
        const members = Object.entries(is.identity)
        const starred = members.filter(([, value]) => value?.includes('*')).map(([name]) => name)
        assert.deepEqual(
          starred.filter(name => name !== 'ref'),
          [],
        )
        // The policy that is written says the same again.
        const written = members.map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join(', ')
        const { policy } = policyWith(`[anchors]\nci = { ${written} }`)
        assert.deepEqual(policy?.anchors[0]?.identity, is.identity)
      }),
    )
  })
})

describe('what is not proposed', () => {
  const cases: Readonly<Record<string, readonly [Certifying, RegExp]>> = {
    'a job that a pull request started': [
      at('refs/pull/7/merge', { 20: 'pull_request' }),
      /its trigger is pull_request, and not push/,
    ],
    'a workflow of another repository': [
      { claims: { ...JOB, 18: 'https://github.com/mallory/x/.github/workflows/r.yml@refs/tags/v1.0.0' } },
      /names no workflow of its own repository/,
    ],
    'a ref with a *': [at('refs/heads/a*'), /names no workflow|has a \*/],
    'an id with a *': [at(JOB[14], { 15: '1*' }), /has a \*/],
    'a reusable workflow without its commit': [
      { claims: without(10, at(JOB[14], { 9: 'https://github.com/acme/b/.github/workflows/b.yml@x' })) },
      /its builder is https:.*b\.yml@x, and not/,
    ],
    'a name that turns the line around': [at(JOB[14], { 23: 'prod\u202e' }), /characters that are not seen/],
    'a name that is too long to read': [at(JOB[14], { 23: 'x'.repeat(301) }), /too long/],
    'a certificate without an issuer': [{ claims: { 15: '1' } }, /names no workflow/],
  }
  for (const [name, [certifying, problem]] of Object.entries(cases))
    test(name, () => {
      const is = proposedIdentity(factsOf(certifying))
      assert.match('problem' in is ? is.problem : 'proposed', problem)
    })
})

/** The signatures that came with a bundle, as --for sees them. */
async function came(
  lines: readonly Uint8Array[],
  typed: Parameters<typeof proofsOf>[2] = {},
): ReturnType<typeof proofsOf> {
  const candidate = await readBundle(bundleOf(TREE), { keep: 'parsed', unsigned: true, label: 'mini.bundle' })
  const bundles = lines.map((bytes, index) => ({ where: `line ${index + 1}`, bytes }))
  const keyless = { bundles, problem: undefined }
  const attested = { label: 'mini.intoto.jsonl', envelopes: [], problem: undefined, keyless }
  const root = { blake3: blake3Hex(WORLD.rootBytes), bytes: WORLD.rootBytes }
  return proofsOf({ candidate, attested }, root, typed, undefined)
}

const refusal = (work: () => unknown): RlpError => {
  try {
    work()
  } catch (error) {
    return error as RlpError
  }
  throw new Error('nothing was refused')
}

describe('of the signatures that came', () => {
  const unproven = WORLD.line(PAYLOAD, {}, { by: pair().privateKey })
  const other = WORLD.line(PAYLOAD, { claims: { ...JOB, 15: '2', 17: '3' } })

  test('the proven one is proposed, with what a person has to know', async () => {
    const { identity, said } = proposalFrom(await came([unproven, WORLD.line(PAYLOAD)]), {}, 'ci')
    assert.deepEqual(identity, PIPELINE)
    const text = said.join('\n')
    assert.match(text, /^line 2 is proven: signed at 2026-06-01T12:00:00Z/)
    assert.match(text, /https:\/\/github\.com\/acme\/mini is what its repository is called today.*ids count/)
    assert.match(text, /Anybody can sign\. Compare the ids/)
  })
  for (const [what, line] of [
    ['that the log did not record', unproven],
    ['of another authority', WORLD.line(PAYLOAD, { by: pair().privateKey })],
    ['by another root', sigstoreWorld().line(PAYLOAD)],
    ['about another payload', WORLD.line(Buffer.from('{}'))],
    ['that is no Sigstore bundle', Buffer.from('{}')],
  ] as const)
    test(`one ${what} is refused, whatever it claims and whatever is typed`, async () => {
      for (const typed of [{}, { issuer: GITHUB, repository_id: '123456789' }, PIPELINE]) {
        const list = await came([line], typed)
        const { code, message, hint } = refusal(() => proposalFrom(list, typed, 'ci'))
        assert.equal(code, 'NOT_VERIFIED')
        assert.match(
          message,
          /^Cannot propose an identity for "ci": (?:the keyless signature of .* is not proven|no keyless)/,
        )
        assert.ok(hint)
        assert.equal(refusal(() => assertSignedBy(PIPELINE, list, 'ci')).code, 'NOT_VERIFIED')
      }
    })
  test('of several that are proven a person chooses', async () => {
    const lines = [WORLD.line(PAYLOAD), other, WORLD.line(PAYLOAD)]
    const list = await came(lines)
    const { code, message, hint } = refusal(() => proposalFrom(list, {}, 'ci'))
    assert.equal(code, 'NEEDS_ANSWER')
    assert.match(message, /2 identities have signed "mini\.bundle": issuer .* 123456789.*; issuer .* 2, /)
    assert.match(hint ?? '', /repository_id/)
    const typed = { issuer: GITHUB, repository_id: '2' }
    assert.equal(proposalFrom(await came(lines, typed), typed, 'ci').identity.owner_id, '3')
  })
  test('two refs of one repository are told apart by the ref', async () => {
    const list = await came([WORLD.line(PAYLOAD), WORLD.line(PAYLOAD, at('refs/heads/main'))])
    assert.equal(refusal(() => proposalFrom(list, {}, 'ci')).code, 'NEEDS_ANSWER')
    assert.equal(proposalFrom(list, { ref: 'refs/heads/main' }, 'ci').identity.ref, 'refs/heads/main')
  })
  test('what is typed whole is taken if a proven signature is by it, and else refused', async () => {
    const list = await came([WORLD.line(PAYLOAD)])
    const { runner: _, owner_id: _owner, ...less } = PIPELINE
    const wide = { ...less, ref: 'refs/tags/*' }
    assert.deepEqual(proposalFrom(list, wide, 'ci').identity, wide)
    const wrong = refusal(() => proposalFrom(list, { ...PIPELINE, ref: 'refs/heads/main' }, 'ci'))
    assert.equal(wrong.code, 'NOT_VERIFIED')
    assert.match(wrong.message, /no proven signature .* is by what was typed; proven: issuer/)
    const another = refusal(() => assertSignedBy({ ...PIPELINE, owner_id: '43' }, list, 'ci'))
    assert.match(another.message, /the owner_id of its signature is "42"/)
    assertSignedBy(PIPELINE, list, 'ci')
  })
  test('strangers cannot crowd out the one that is asked for, and are counted where none is', async () => {
    const strangers = Array.from({ length: KEYLESS_LIMITS.verified }, () =>
      WORLD.line(PAYLOAD, { claims: { ...JOB, 15: '9' } }, { by: pair().privateKey }),
    )
    const lines = [...strangers, WORLD.line(PAYLOAD)]
    const all = await came(lines)
    assert.match(refusal(() => proposalFrom(all, {}, 'ci')).message, /17 keyless .* at most 16 are verified/)
    const typed = { issuer: GITHUB, repository_id: '123456789' }
    assert.deepEqual(proposalFrom(await came(lines, typed), typed, 'ci').identity, PIPELINE)
  })
})
