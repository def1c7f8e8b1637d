// Keyless signatures under trust policies: proofs, statements that are judged alone, signers that are counted, revocations, strangers who crowd, and what
// marks and locks call such a signer. Each refusal is beside what is trusted.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KEYLESS_LIMITS } from '../../../src/model/limits.ts'
import { policyHandedIn } from '../../../src/trust/policy-file.ts'
import { vouchers } from '../../../src/trust/vouchers.ts'
import { withRoot } from '../../../src/trust-policy/source.ts'
import { policyInput } from '../../../src/verify/input.ts'
import { agentTree, digestOf } from '../../support/agent.ts'
import {
  answerTo,
  examined,
  PAYLOAD,
  payloadOf,
  policyFor,
  policyWith,
  RULE,
  rootLine,
  TREE,
  WORLD,
} from '../../support/keyless-world.ts'
import { JOB, JOB_ANCHOR, pair, sigstoreWorld } from '../../support/sigstore-world.ts'
import { KEYS, policySource, signed } from '../../support/trust-world.ts'

const NOT = 'untrusted no_counted_signature'
const POLICY = policyFor(JOB_ANCHOR)
const SIGNER =
  'oidc:https://token.actions.githubusercontent.com?repository_id=123456789&owner_id=42&workflow=.github%2Fworkflows%2Frelease.yml&ref=refs%2Ftags%2Fv*'
const minutes = (count: number) => new Date(WORLD.now.getTime() + count * 60_000)

describe('a proof', () => {
  const cases: Readonly<Record<string, readonly [Parameters<typeof answerTo>[0], string]>> = {
    'all of it': [{ policy: POLICY }, 'trusted'],
    'a certificate that began later': [
      { policy: POLICY, certifying: { from: minutes(1), until: minutes(9) } },
      NOT,
    ],
    'a certificate that had ended': [
      { policy: POLICY, certifying: { from: minutes(-9), until: minutes(-1) } },
      NOT,
    ],
    'a certificate of another authority': [{ policy: POLICY, certifying: { by: pair().privateKey } }, NOT],
    'a certificate that is in no log': [{ policy: POLICY, certifying: { unlogged: true } }, NOT],
    'no entry': [{ policy: POLICY, recording: { unlogged: true } }, NOT],
    'an entry of another log': [{ policy: POLICY, recording: { by: pair().privateKey } }, NOT],
    'an entry for another payload': [
      { policy: POLICY, recording: { body: payloadOf(TREE, '2027-01-01T00:00:00Z') } },
      NOT,
    ],
    'all of it, by another root': [{ policy: POLICY, lines: [sigstoreWorld().line(PAYLOAD)] }, NOT],
  }
  for (const [name, [asked, answer]] of Object.entries(cases))
    test(`${name}: ${answer}`, async () => assert.equal(await answerTo(asked), answer))

  test('a changed byte of the payload, the signature or the certificate is no proof', async () => {
    const made = JSON.stringify(WORLD.signed(PAYLOAD))
    for (const member of ['payload', 'sig', 'rawBytes']) {
      const line = Buffer.from(
        made.replace(
          new RegExp(`("${member}":")(.{40})(.)`),
          (_, head, text, one) => head + text + (one === 'A' ? 'B' : 'A'),
        ),
      )
      assert.notEqual(line.toString(), made)
      assert.notEqual(await answerTo({ policy: POLICY, lines: [line] }), 'trusted', member)
    }
  })
})

describe('which statement is judged', () => {
  const other = agentTree({ name: 'mini', files: { 'policy.caps': '[capabilities]\nmodel = true\n' } })

  test('one about another bundle signs nothing here', async () => {
    assert.equal(
      await answerTo({ policy: POLICY, lines: [WORLD.line(payloadOf(other))] }),
      'unsigned no_signature',
    )
  })
  test('nothing came: unsigned; one came without a proof: untrusted, and no flag accepts it', async () => {
    assert.equal(await answerTo({ policy: POLICY, lines: [] }), 'unsigned no_signature')
    const options = { allowUnsigned: true }
    const { verification } = await examined({ policy: POLICY, recording: { unlogged: true }, options })
    assert.equal(verification.report.verdict, 'untrusted')
    assert.equal(verification.bundle, undefined)
  })
  test('one that names another agent for this manifest signs nothing, and hides no other', async () => {
    const renamed = Buffer.from(PAYLOAD.toString().replace('"name":"mini"', '"name":"maxi"'))
    assert.notDeepEqual(renamed, PAYLOAD)
    assert.equal(await answerTo({ policy: POLICY, lines: [WORLD.line(renamed)] }), 'unsigned no_signature')
    const unproven = WORLD.line(PAYLOAD, {}, { unlogged: true })
    assert.equal(
      await answerTo({ policy: POLICY, lines: [WORLD.line(renamed), unproven] }),
      'untrusted no_counted_signature',
    )
  })
  test('of several statements each is judged alone, and the best one is the verdict', async () => {
    const group = `[anchors]
a = { ${JOB_ANCHOR} }
b = { ${JOB_ANCHOR.replace('123456789', '2')} }
[groups]
g = { of = ["a", "b"], at_least = 2 }
[rules]
a = ${RULE}
[[require]]
signers = ["g"]`
    const policy = policyWith(group)
    const end = '2027-01-01T00:00:00Z'
    const [first, second] = [{}, { claims: { ...JOB, 15: '2' } }]
    const two = [WORLD.line(PAYLOAD, first), WORLD.line(PAYLOAD, second)]
    assert.equal(await answerTo({ policy, lines: two }), 'trusted')
    const mixed = [WORLD.line(PAYLOAD, first), WORLD.line(payloadOf(TREE, end), second)]
    assert.equal(await answerTo({ policy, lines: mixed }), 'untrusted required_signature_missing')
    const { verification } = await examined({
      policy,
      lines: [...mixed, WORLD.line(payloadOf(TREE, end), first)],
    })
    assert.equal(verification.report.verdict, 'trusted')
    assert.equal(verification.notAfter, end)
  })
  test('one that has ended is not in the way of one that has not', async () => {
    const [past, future] = ['2026-01-01T00:00:00Z', '2100-01-01T00:00:00Z'].map(end =>
      WORLD.line(payloadOf(TREE, end)),
    )
    const answers = async (...lines: readonly (Buffer | undefined)[]) => {
      const { verification } = await examined({ policy: POLICY, lines: lines.flatMap(line => line ?? []) })
      return [verification.report.verdict, verification.notAfter]
    }
    assert.deepEqual(await answers(past), ['expired', '2026-01-01T00:00:00Z'])
    assert.deepEqual(await answers(past, future), ['trusted', '2100-01-01T00:00:00Z'])
    assert.deepEqual(await answers(future, WORLD.line(PAYLOAD)), ['trusted', undefined])
    assert.deepEqual(await answers(WORLD.line(PAYLOAD), future), ['trusted', undefined])
  })
  test('beside a signature of a key it counts if it signs the same bytes', async () => {
    const policy = policyWith(`[anchors]
ci = { ${JOB_ANCHOR} }
release = "${KEYS.release.anchor}"
[rules]
ci = ${RULE}
[require]
anchors = ["ci", "release"]`)
    const tree = signed(TREE, 'release')
    assert.equal(await answerTo({ policy, tree, lines: [WORLD.line(PAYLOAD)] }), 'trusted')
    const ended = [WORLD.line(payloadOf(TREE, '2100-01-01T00:00:00Z'))]
    assert.equal(await answerTo({ policy, tree, lines: ended }), 'untrusted required_signature_missing')
  })
})

describe('who counts', () => {
  test('two identities of one repository are one signer', async () => {
    const policy = (repository: string) =>
      policyWith(`[anchors]
tags = { ${JOB_ANCHOR} }
main = { ${JOB_ANCHOR.replace('refs/tags/v*', 'refs/heads/main').replace('123456789', repository)} }
[rules]
tags = ${RULE}
[require]
signatures = 1`)
    const config = `${JOB[12]}/.github/workflows/release.yml@refs/heads/main`
    const onMain = (id: string) => ({
      claims: { ...JOB, 9: config, 14: 'refs/heads/main', 15: id, 18: config },
    })
    const { verification } = await examined({
      policy: policy('123456789'),
      lines: [WORLD.line(PAYLOAD), WORLD.line(PAYLOAD, onMain('123456789'))],
    })
    assert.deepEqual(verification.report.judgements[0]?.counted, ['tags', 'main'])
    const two = withRoot(
      policySource(
        `[anchors]\ntags = { ${JOB_ANCHOR} }\nmain = { ${JOB_ANCHOR.replace('refs/tags/v*', 'refs/heads/main')} }\n[require]\nsignatures = 2\n${rootLine()}`,
      ),
      WORLD.rootBytes,
    )
    assert.equal(two.policy, undefined, 'a threshold that cannot be met')
  })
  test('an anchor that attests does not sign', async () => {
    const policy = policyWith(`[anchors]\nci = { ${JOB_ANCHOR}, use = ["attest"] }`)
    assert.equal(await answerTo({ policy }), NOT)
  })
  test('every policy has to say yes, and one without identities says no', async () => {
    const keys = policySource(`[anchors]\nrelease = "${KEYS.release.anchor}"`)
    assert.equal(await answerTo({ policy: POLICY, others: [keys] }), NOT)
    assert.equal(await answerTo({ policy: POLICY, others: [policyFor(JOB_ANCHOR)] }), 'trusted')
  })
  test('without identities none is looked at, and the report says so', async () => {
    const policy = policySource(`[anchors]\nrelease = "${KEYS.release.anchor}"`)
    const { report } = (await examined({ policy })).verification
    assert.equal(report.verdict, 'unsigned')
    assert.equal(report.keyless, undefined)
    assert.match(report.skipped.join('\n'), /Keyless signatures were not examined/)
  })
  test('an anchor’s end, and what it may grant, are asked as of keys', async () => {
    assert.equal(
      await answerTo({ policy: policyFor(`${JOB_ANCHOR}, until = "2026-01-01T00:00:00Z"`) }),
      'untrusted anchor_ended',
    )
    const policy = policyWith(
      `[anchors]\nci = { ${JOB_ANCHOR} }\n[rules]\nci = { allow_caps = [], allow_net = [], allow_exec = false }`,
    )
    const tree = agentTree({ name: 'mini', files: { 'policy.caps': '[capabilities]\nmodel = true\n' } })
    assert.equal(await answerTo({ policy, tree }), 'policy_denied beyond_ceiling')
  })
})

describe('a revoked identity', () => {
  const revoked = (name: string) => policyFor(JOB_ANCHOR, `[revoked]\n"${name}" = { reason = "left" }\n`)
  for (const [what, name, answer] of [
    ['all of it', SIGNER, 'revoked key_revoked'],
    ['its beginning', SIGNER.slice(0, SIGNER.indexOf('&owner')), 'revoked key_revoked'],
    ['its beginning, to the ref', SIGNER.slice(0, SIGNER.indexOf('&ref')), 'revoked key_revoked'],
    ['another repository', SIGNER.replace('123456789', '12345678'), 'trusted'],
    [
      'the beginning of another',
      SIGNER.slice(0, SIGNER.indexOf('&owner')).replace('123456789', '12345678'),
      'trusted',
    ],
  ] as const)
    test(`${what}: ${answer}`, async () => assert.equal(await answerTo({ policy: revoked(name) }), answer))
  for (const name of [
    SIGNER.slice(0, -1),
    SIGNER.slice(0, SIGNER.indexOf('&ref') + 4),
    SIGNER.replace('%2F', '/'),
    SIGNER.replace('repository_id=123456789&owner_id=42', 'owner_id=42&repository_id=123456789'),
    SIGNER.slice(0, SIGNER.indexOf('?')),
    `${SIGNER}&`,
    'oidc:',
  ].filter(name => !name.endsWith('v')))
    test(`${name.slice(0, 90)}… is malformed`, () => {
      assert.throws(() => revoked(name))
    })
})

describe('strangers', () => {
  const stranger = () => WORLD.line(PAYLOAD, { claims: { ...JOB, 15: '999' } })
  const claiming = () => WORLD.line(PAYLOAD, {}, { by: pair().privateKey })
  const many = (count: number, make: () => Buffer) => Array.from({ length: count }, make)

  test('who claim another identity do not crowd out the right one', async () => {
    const lines = [...many(40, stranger), WORLD.line(PAYLOAD)]
    assert.equal(await answerTo({ policy: POLICY, lines }), 'trusted')
  })
  test('who claim to be it, sixteen of them, leave nothing open; one more does', async () => {
    const { verified } = KEYLESS_LIMITS
    assert.equal(await answerTo({ policy: POLICY, lines: many(verified, claiming) }), NOT)
    assert.equal(
      await answerTo({ policy: POLICY, lines: [...many(verified - 1, claiming), WORLD.line(PAYLOAD)] }),
      'trusted',
    )
    const crowded = [...many(verified, claiming), WORLD.line(PAYLOAD)]
    assert.equal(await answerTo({ policy: POLICY, lines: crowded }), 'indeterminate keyless_incomplete')
  })
  test('what could not all be read leaves a refusal open, and no trust', async () => {
    const problem = { why: 'limit', message: 'it has more than 4 MiB of Sigstore bundles' } as const
    assert.equal(await answerTo({ policy: POLICY, lines: [], problem }), 'indeterminate keyless_incomplete')
    assert.equal(
      await answerTo({ policy: POLICY, lines: [stranger()], problem }),
      'indeterminate keyless_incomplete',
    )
    assert.equal(await answerTo({ policy: POLICY, lines: [WORLD.line(PAYLOAD)], problem }), 'trusted')
  })
  test('what is no Sigstore bundle is listed, and changes nothing', async () => {
    const lines = ['{}', '{"verificationMaterial":1}', 'no JSON'].map(text => Buffer.from(text))
    const { report } = (await examined({ policy: POLICY, lines: [...lines, WORLD.line(PAYLOAD)] }))
      .verification
    assert.equal(report.verdict, 'trusted')
    assert.deepEqual(
      report.keyless?.map(({ where, result }) => [where, result]),
      [
        ['line 1', 'unreadable'],
        ['line 2', 'unreadable'],
        ['line 3', 'unreadable'],
        ['line 4', 'proven'],
      ],
    )
  })
})

describe('a trusted root', () => {
  test('that is missing, another one or none decides nothing', async () => {
    const source = policySource(`[anchors]\nci = { ${JOB_ANCHOR} }\n${rootLine()}`)
    for (const bytes of [undefined, Buffer.from('{}')]) {
      const policy = withRoot(source, bytes)
      assert.equal(await answerTo({ policy }), 'indeterminate trust_policy_unusable')
    }
    for (const text of [
      '{}',
      '[]',
      'x',
      '{"certificateAuthorities":7}',
      '{"certificateAuthorities":[{"certChain":7}]}',
    ])
      assert.equal(
        await answerTo({ policy: rooted(Buffer.from(text)) }),
        'indeterminate trust_policy_unusable',
        text,
      )
  })
  const rooted = (bytes: Buffer) => {
    const named = policySource(
      `[anchors]\nci = { ${JOB_ANCHOR} }\n[sigstore]\ntrusted_root = { file = "root.json", blake3 = "${digestOf(bytes)}" }`,
    )
    return withRoot(named, bytes)
  }
  test('that is not named makes a policy with identities malformed', () => {
    assert.match(policySource(`[anchors]\nci = { ${JOB_ANCHOR} }`).problems.join(), /needs \[sigstore\]/)
  })
})

describe('what marks and locks call it', () => {
  test('all that its anchor names', async () => {
    const { verification, trust } = await examined({ policy: POLICY })
    const { report, bundle, payload } = verification
    assert.ok(bundle !== undefined)
    assert.deepEqual(vouchers(bundle.agent, report, trust, payload), {
      signers: [SIGNER],
      anchors: ['ci'],
      isDev: false,
    })
  })
})

describe('a policy without a folder', () => {
  test('decides nothing with identities: its root would be beside it', async () => {
    const text = `[anchors]\nci = { ${JOB_ANCHOR} }\n${rootLine()}`
    for (const given of [text, Buffer.from(text)]) {
      const source = await policyHandedIn(policyInput(given, process.cwd()))
      assert.ok(typeof source !== 'string')
      assert.equal(source.policy, undefined)
      assert.match(source.hint ?? '', /Name the path of a policy/)
    }
    const keys = await policyHandedIn(
      policyInput({ anchors: { release: KEYS.release.anchor } }, process.cwd()),
    )
    assert.ok(typeof keys !== 'string' && keys.policy !== undefined)
  })
})
