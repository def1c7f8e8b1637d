// Statements by identities, as pipelines write them: about the archive before anybody signed it, from the source and at the ref of the certificate, and of no kind that
// signs. Each refusal is beside what counts.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { bundleOf } from '../../support/agent.ts'
import { answerTo, PAYLOAD, policyWith, RULE, TREE, WORLD } from '../../support/keyless-world.ts'
import { JOB, JOB_ANCHOR } from '../../support/sigstore-world.ts'
import { KEYS, signed } from '../../support/trust-world.ts'

const SLSA = 'https://slsa.dev/provenance/v1'
const MISSING = 'untrusted attestation_missing'
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const UNSIGNED = sha256(bundleOf(TREE))
const SIGNED = signed(TREE, 'release')

const GITHUB = {
  buildDefinition: {
    externalParameters: {
      workflow: { ref: 'refs/tags/v1.0.0', repository: JOB[12], path: '.github/workflows/release.yml' },
    },
  },
  runDetails: { builder: { id: JOB[9] } },
}

function stated({
  type = SLSA,
  digest = { sha256: UNSIGNED } as object,
  predicate = GITHUB as object,
} = {}): Buffer {
  const subject = [{ name: 'any name', digest }]
  return Buffer.from(
    JSON.stringify({ _type: 'https://in-toto.io/Statement/v1', subject, predicateType: type, predicate }),
  )
}

/** A key signs, and an identity attests. */
function policyOf(more = '', anchor = JOB_ANCHOR) {
  return policyWith(`[anchors]
release = "${KEYS.release.anchor}"
build = { ${anchor}, use = ["attest"] }
[rules]
release = ${RULE}
[require]
attestations = [{ type = "${SLSA}", by = ["build"]${more} }]
`)
}

const answer = (line: Buffer, { policy = policyOf(), tree = SIGNED, certifying = {}, recording = {} } = {}) =>
  answerTo({ policy, tree, lines: [WORLD.line(line, certifying, recording)] })

describe('a required statement by an identity', () => {
  test('is there', async () => {
    assert.equal(await answer(stated()), 'trusted')
    assert.equal(await answerTo({ policy: policyOf(), tree: SIGNED, lines: [] }), MISSING)
  })
  test('is about the archive without signatures, so that one that is added takes nothing away', async () => {
    assert.equal(await answer(stated(), { tree: signed(TREE, ['release', 'second']) }), 'trusted')
    assert.equal(await answer(stated({ digest: { sha256: sha256(bundleOf(SIGNED)) } })), MISSING)
    assert.equal(await answer(stated({ digest: { sha256: 'a'.repeat(64) } })), MISSING)
    assert.equal(await answer(stated({ digest: { sha512: 'a'.repeat(128), blake3: UNSIGNED } })), MISSING)
  })
  test('is of the type that is asked for', async () => {
    assert.equal(await answer(stated({ type: 'https://cyclonedx.org/bom' })), MISSING)
  })
  test('is by the identity, proven', async () => {
    assert.equal(await answer(stated(), { certifying: { claims: { ...JOB, 15: '7' } } }), MISSING)
    assert.equal(await answer(stated(), { recording: { unlogged: true } }), MISSING)
    const signs = policyWith(`[anchors]
release = "${KEYS.release.anchor}"
ci = { ${JOB_ANCHOR} }
build = { ${JOB_ANCHOR.replace('release.yml', 'attest.yml')}, use = ["attest"] }
[rules]
release = ${RULE}
[require]
attestations = [{ type = "${SLSA}", by = ["build"] }]
`)
    assert.equal(await answer(stated(), { policy: signs }), MISSING, 'an anchor that signs does not attest')
  })
  test('has the source and the ref of its certificate', async () => {
    const asked = (more: string) => answer(stated(), { policy: policyOf(more) })
    assert.equal(await asked(`, source = "${JOB[12]}"`), 'trusted')
    assert.equal(await asked(', source = "https://github.com/acme"'), MISSING)
    assert.equal(await asked(', ref = "refs/tags/v1.0.0"'), 'trusted')
    assert.equal(await asked(', ref = "refs/tags/v*"'), 'trusted')
    assert.equal(await asked(', ref = "refs/tags/v2*"'), MISSING)
    assert.equal(await asked(`, builder = "${JOB[9]}"`), 'trusted')
    assert.equal(await asked(', builder = "https://github.com/acme/other"'), MISSING)
  })
  test('does not contradict it, whether a policy asks or not', async () => {
    const said = (repository: unknown, ref: unknown, source?: string) =>
      answer(
        stated({
          predicate: {
            buildDefinition: {
              externalParameters: { workflow: { repository, ref }, ...(source && { source }) },
            },
          },
        }),
      )
    assert.equal(await said(JOB[12], JOB[14]), 'trusted')
    assert.equal(await said(undefined, undefined), 'trusted', 'it need not name them')
    assert.equal(await said('https://github.com/mallory/mini', JOB[14]), MISSING)
    assert.equal(await said(JOB[12], 'refs/heads/main'), MISSING)
    assert.equal(await said(JOB[12], JOB[14], 'https://github.com/mallory/mini'), MISSING)
    assert.equal(await said(7, JOB[14]), MISSING)
  })
  test('takes the place of no signature, and a signature that of no statement', async () => {
    const both = policyWith(`[anchors]
ci = { ${JOB_ANCHOR}, use = ["sign", "attest"] }
[rules]
ci = ${RULE}
[require]
attestations = [{ type = "${SLSA}", by = ["ci"] }]
`)
    const lines = (...payloads: readonly Buffer[]) => payloads.map(one => WORLD.line(one))
    assert.equal(await answerTo({ policy: both, lines: lines(PAYLOAD, stated()) }), 'trusted')
    assert.equal(await answerTo({ policy: both, lines: lines(stated()) }), 'unsigned no_signature')
    assert.equal(await answerTo({ policy: both, lines: lines(PAYLOAD) }), MISSING)
    assert.throws(() =>
      policyWith(
        `[anchors]\nci = { ${JOB_ANCHOR}, use = ["attest"] }\n[require]\nattestations = [{ type = "urn:runloop:agent-bundle:v1", by = ["ci"] }]`,
      ),
    )
  })
  test('by a revoked identity says so', async () => {
    const policy = policyOf()
    const revoked = policyWith(`[anchors]
release = "${KEYS.release.anchor}"
build = { ${JOB_ANCHOR}, use = ["attest"] }
[rules]
release = ${RULE}
[require]
attestations = [{ type = "${SLSA}", by = ["build"] }]
[revoked]
"oidc:https://token.actions.githubusercontent.com?repository_id=123456789" = {}
`)
    assert.equal(await answer(stated(), { policy }), 'trusted')
    assert.equal(await answer(stated(), { policy: revoked }), 'revoked key_revoked')
  })
})
