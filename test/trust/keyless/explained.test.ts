// What rlp trust explain says of keyless signatures: each member of an identity, wanted and found.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createStyle } from '../../../src/cli/render/style.ts'
import { type ExplainedIdentity, explainedIdentities } from '../../../src/trust/explain.ts'
import { renderExplained } from '../../../src/trust/render-explained.ts'
import {
  type Asked,
  examined,
  PAYLOAD,
  payloadOf,
  policyFor,
  policyWith,
  TREE,
  WORLD,
} from '../../support/keyless-world.ts'
import { JOB, JOB_ANCHOR, pair } from '../../support/sigstore-world.ts'
import { KEYS, policySource } from '../../support/trust-world.ts'

async function explained(asked: Asked): Promise<{ all: readonly ExplainedIdentity[]; text: string }> {
  const { verification, trust } = await examined(asked)
  const identities = explainedIdentities(trust.keyless, trust.policies)
  const report = { ...verification.report, identities }
  return { all: identities, text: renderExplained(report, createStyle(false), 100) }
}

const misfits = ({ members }: ExplainedIdentity) =>
  members.flatMap(({ member, wanted, found, fits }) => (fits ? [] : [[member, wanted, found]]))

/** The only one that is said. */
async function only(asked: Asked): Promise<ExplainedIdentity> {
  const { all } = await explained(asked)
  assert.equal(all.length, 1)
  return all[0] as ExplainedIdentity
}

describe('an identity beside a certificate', () => {
  const POLICY = policyFor(JOB_ANCHOR)

  test('that is the right one: all members fit', async () => {
    const { all, text } = await explained({ policy: POLICY })
    const [one] = all
    assert.ok(one)
    assert.deepEqual(
      one.members.map(({ member, fits }) => [member, fits]),
      ['issuer', 'repository_id', 'owner_id', 'workflow', 'ref', 'trigger', 'builder'].map(member => [
        member,
        true,
      ]),
    )
    assert.deepEqual([one.claims, one.proven, one.is, one.where], [true, true, 'signature', 'line 1'])
    assert.match(
      text,
      /✓ keyless signature in line 1 beside ci \(trust-policy\.toml:2\): proven at 2026-06-01T12:00:00Z/,
    )
    assert.match(text, /^ {4}✓ repository_id {2}123456789$/m)
  })
  test('of another repository with the same name: the id alone does not fit, and the nearest is shown', async () => {
    const one = await only({ policy: POLICY, certifying: { claims: { ...JOB, 15: '987654321' } } })
    assert.deepEqual(misfits(one), [['repository_id', '123456789', '987654321']])
    assert.deepEqual([one.claims, one.proven], [false, false])
    assert.match(one.detail, /^not verified: its certificate names no signer of this policy$/)
    const { text } = await explained({ policy: POLICY, certifying: { claims: { ...JOB, 15: '987654321' } } })
    assert.match(text, /✗ repository_id {2}wanted 123456789; the certificate has 987654321/)
    assert.match(text, /beside the nearest, ci/)
  })
  test('without the environment that is wanted', async () => {
    const policy = policyFor(`${JOB_ANCHOR}, environment = "production"`)
    const one = await only({ policy })
    assert.deepEqual(misfits(one), [['environment', 'production', null]])
    assert.deepEqual([one.claims, one.proven], [true, true])
    assert.match(
      (await explained({ policy })).text,
      /✗ environment {4}wanted production; the certificate has none/,
    )
  })
  test('that is claimed and not proven: why not', async () => {
    const one = await only({ policy: POLICY, recording: { by: pair().privateKey } })
    assert.deepEqual([misfits(one), one.claims, one.proven], [[], true, false])
    assert.match(one.detail, /^not proven: /)
  })
  test('about another manifest: that it signs nothing here', async () => {
    const lines = [
      WORLD.line(
        Buffer.from(
          payloadOf(TREE)
            .toString()
            .replace(/"blake3":"./, '"blake3":"0'),
        ),
      ),
    ]
    const { all } = await explained({ policy: POLICY, lines })
    assert.deepEqual([all[0]?.is, all[0]?.proven], ['other', false])
    assert.match(all[0]?.detail ?? '', /it signs another manifest\.toml/)
  })
})

describe('of several', () => {
  const TWO = policyWith(
    `[anchors]\ntags = { ${JOB_ANCHOR} }\nmain = { ${JOB_ANCHOR.replace('refs/tags/v*', 'refs/heads/main')} }\nfar = { issuer = "https://id.example", email = "ada@acme.example" }`,
  )
  test('every anchor that the certificate claims is shown, and no other', async () => {
    const { all } = await explained({ policy: TWO })
    assert.deepEqual(
      all.map(one => [one.anchor, misfits(one).map(([member]) => member)]),
      [
        ['tags', []],
        ['main', ['ref']],
      ],
    )
  })
  test('where none is claimed, the one with most members that fit', async () => {
    const one = await only({ policy: TWO, certifying: { claims: { ...JOB, 15: '5' } } })
    assert.equal(one.anchor, 'tags')
  })
  test('each policy is asked, and one without identities says nothing', async () => {
    const keys = policySource(`[anchors]\nrelease = "${KEYS.release.anchor}"`, 'keys.toml')
    const { all } = await explained({ policy: policyFor(JOB_ANCHOR), others: [keys, policyFor(JOB_ANCHOR)] })
    assert.equal(all.length, 2)
    assert.deepEqual((await explained({ policy: keys })).all, [])
  })
  test('strangers come last, and are bounded', async () => {
    const lines = [
      ...Array.from({ length: 150 }, () => WORLD.line(PAYLOAD, { claims: { ...JOB, 15: '9' } })),
      WORLD.line(PAYLOAD),
    ]
    const { all, text } = await explained({ policy: policyFor(JOB_ANCHOR), lines })
    assert.deepEqual([all.length, all[0]?.where, all[0]?.proven], [100, 'line 151', true])
    assert.match(text, /… and more; --json lists 100/)
  })
  test('their text is printable and short', async () => {
    const claims = { ...JOB, 15: `\u001b[2J\u202e${'x'.repeat(2000)}` }
    const { all, text } = await explained({ policy: policyFor(JOB_ANCHOR), certifying: { claims } })
    const found = all[0]?.members.find(({ member }) => member === 'repository_id')?.found ?? ''
    assert.match(found, /^\\u\{1b\}\[2J\\u\{202e\}x+… \(\d+ more\)$/)
    assert.ok(found.length < 400)
    assert.doesNotMatch(text, /[\u001b\u202e]/)
  })
})
