// Every bad input, each with exactly one verdict and one word for it, and the same input unspoilt beside it.
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign as signWith } from 'node:crypto'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { agentTree, bundleOf, type Tree } from '../support/agent.ts'
import { archive, entry } from '../support/archive.ts'
import {
  ASKING,
  type JudgeOptions,
  judge,
  KEYS,
  POLICY,
  preAuth,
  type SignOptions,
  signatureFile,
  signed,
  wordsOf,
} from '../support/trust-world.ts'

const SIG = 'SIGNATURES/manifest.sig'
const GOOD = signed(ASKING, 'release')
const words = async (source: Tree | Uint8Array, options: JudgeOptions = {}) =>
  wordsOf(await judge(source, options))
const TRUSTED = ['trusted', undefined] as const

/** Without a signature: what it is a signature of may be changed. */
const tampered = (options: SignOptions) => signed(ASKING, 'release', options)
const manifestWith = (tree: Tree, from: string | RegExp, to: string): Tree => {
  const text = String(tree['manifest.toml'])
  assert.notEqual(text.replace(from, to), text)
  return { ...tree, 'manifest.toml': text.replace(from, to) }
}

describe('positive controls', () => {
  test('a good signature by an anchor whose rule holds the policy is trusted', async () => {
    assert.deepEqual(await words(GOOD), TRUSTED)
    assert.deepEqual(await words(GOOD, { expect: 'mini@1.0.0' }), TRUSTED)
    assert.deepEqual(await words(signed(ASKING, ['release', 'stranger'])), TRUSTED)
  })
  test('wrapped in gzip it is the same bundle', async () => {
    assert.deepEqual(await words(gzip(bundleOf(GOOD))), TRUSTED)
  })
})

describe('the envelope', () => {
  const cases: [what: string, options: SignOptions, code: string][] = [
    ['empty', { text: () => '' }, 'signature_malformed'],
    ['white space', { text: () => ' \n' }, 'signature_malformed'],
    ['no object', { text: () => '[]' }, 'signature_malformed'],
    ['cut off', { text: text => text.slice(0, -1) }, 'signature_malformed'],
    ['oversized', { text: text => text.replace('{', `{${' '.repeat(64 * 1024)}`) }, 'signature_malformed'],
    ['with trailing garbage', { text: text => `${text}x` }, 'signature_malformed'],
    ['with a final newline', { text: text => `${text}\n` }, 'signature_malformed'],
    ['twice', { text: text => text + text }, 'signature_malformed'],
    ['with a BOM', { text: text => `\ufeff${text}` }, 'signature_malformed'],
    ['with white space inside', { text: text => text.replace(':', ': ') }, 'signature_malformed'],
    [
      'with an escape',
      { text: text => text.replace('payloadType', 'p\\u0061yloadType') },
      'signature_malformed',
    ],
    [
      'with a key twice',
      { text: text => text.replace('{', '{"payloadType":"application/vnd.in-toto+json",') },
      'signature_malformed',
    ],
    ['with an unknown member', { envelope: { more: 1 } }, 'signature_malformed'],
    ['with another order', { text: text => reordered(text) }, 'signature_malformed'],
    ['of another payload type', { envelope: { payloadType: 'text/plain' } }, 'signature_malformed'],
    ['without payload', { envelope: { payload: undefined } }, 'signature_malformed'],
    [
      'with a payload in base64url',
      { envelope: one => Object.assign(one, { payload: `${one.payload.slice(0, -4)}-_8=` }) },
      'signature_malformed',
    ],
    [
      'with a payload without padding',
      { payload: text => `${text} `, envelope: one => unpad(one) },
      'signature_malformed',
    ],
    ['without signatures', { envelope: { signatures: [] } }, 'signature_malformed'],
    ['with invalid signatures', { envelope: { signatures: {} } }, 'signature_malformed'],
    [
      'with 17 signatures',
      { envelope: one => Object.assign(one, { signatures: many(17, one.payload) }) },
      'signature_malformed',
    ],
    [
      'with a signature of 63 bytes',
      { envelope: { 'signatures/0/sig': Buffer.alloc(63).toString('base64') } },
      'signature_malformed',
    ],
    [
      'with a signature of 65 bytes',
      { envelope: { 'signatures/0/sig': Buffer.alloc(65).toString('base64') } },
      'signature_malformed',
    ],
    [
      'with one key twice',
      { envelope: one => void one.signatures.push(...one.signatures) },
      'signature_malformed',
    ],
    ['without a key id', { envelope: { 'signatures/0/keyid': undefined } }, 'signature_malformed'],
    [
      'with a key id in hex',
      { envelope: { 'signatures/0/keyid': `ed25519:${KEYS.release.raw.toString('hex')}` } },
      'signature_malformed',
    ],
    [
      'with an anchor’s name for a key id',
      { envelope: { 'signatures/0/keyid': 'release' } },
      'signature_malformed',
    ],
    [
      'with a key of small order',
      {
        envelope: {
          'signatures/0/keyid': `ed25519:${Buffer.from([1, ...Array(31).fill(0)]).toString('base64')}`,
        },
      },
      'signature_malformed',
    ],
    [
      'with a false key id',
      { envelope: { 'signatures/0/keyid': KEYS.security.anchor } },
      'signature_invalid',
    ],
    [
      'with a signature of zeros',
      { envelope: { 'signatures/0/sig': Buffer.alloc(64).toString('base64') } },
      'signature_invalid',
    ],
    [
      'signed raw, without DSSE’s encoding',
      { envelope: one => resign(one, payload => payload) },
      'signature_invalid',
    ],
    [
      'signed for another payload type',
      { envelope: one => resign(one, payload => preAuth(payload, 'text/plain')) },
      'signature_invalid',
    ],
  ]
  for (const [what, options, code] of cases) {
    test(`${what}: invalid`, async () => {
      assert.deepEqual(await words(tampered({})), TRUSTED)
      assert.deepEqual(await words(tampered(options)), ['invalid', code])
      assert.deepEqual(await words(tampered(options), { allowUnsigned: true }), ['invalid', code])
    })
  }

  test('16 signatures are read', async () => {
    const tree = tampered({
      envelope: one => Object.assign(one, { signatures: many(15, one.payload, one.signatures) }),
    })
    assert.deepEqual(await words(tree), TRUSTED)
  })
  test('unsorted signatures', async () => {
    const tree = signed(ASKING, ['release', 'security'], { envelope: one => void one.signatures.reverse() })
    assert.deepEqual(await words(tree), ['invalid', 'signature_malformed'])
  })
  test('one bad signature among good ones makes the bundle invalid, and is named', async () => {
    const tree = signed(ASKING, ['release', 'security'], {
      envelope: { 'signatures/1/sig': Buffer.alloc(64, 1).toString('base64') },
    })
    const { report } = await judge(tree)
    assert.deepEqual(wordsOf({ report }), ['invalid', 'signature_invalid'])
    assert.deepEqual(
      report.signatures.map(({ result }) => result),
      ['valid', 'invalid'],
    )
  })
})

describe('the statement', () => {
  const cases: [what: string, options: SignOptions, code: string][] = [
    ['empty', { payload: () => '' }, 'statement_malformed'],
    ['no JSON', { payload: () => 'x' }, 'statement_malformed'],
    ['of another type', { statement: { _type: 'https://in-toto.io/Statement/v0.1' } }, 'statement_malformed'],
    [
      'of another predicate',
      { statement: { predicateType: 'https://slsa.dev/provenance/v1' } },
      'statement_malformed',
    ],
    ['with white space', { payload: text => text.replace(':', ': ') }, 'statement_malformed'],
    ['with an unknown member', { statement: { 'predicate/more': 1 } }, 'statement_malformed'],
    [
      'with a key twice',
      { payload: text => text.replace('{', '{"_type":"https://in-toto.io/Statement/v1",') },
      'statement_malformed',
    ],
    [
      'of two subjects',
      { payload: text => text.replace(/"subject":\[(\{.*?\}\})\]/, '"subject":[$1,$1]') },
      'statement_malformed',
    ],
    ['about another file', { statement: { 'subject/0/name': 'tools.json' } }, 'statement_malformed'],
    [
      'with digests in capitals',
      {
        payload: text =>
          text.replace(/("blake3":")([0-9a-f]+)/, (_, key, digits) => key + digits.toUpperCase()),
      },
      'statement_malformed',
    ],
    ['without SHA-256', { statement: { 'subject/0/digest/sha256': undefined } }, 'statement_malformed'],
    ['without agent', { statement: { 'predicate/agent': undefined } }, 'statement_malformed'],
    ['with an end that is no day', { notAfter: '2027-02-30T00:00:00Z' }, 'statement_malformed'],
    ['with an end in another zone', { notAfter: '2027-01-01T00:00:00+01:00' }, 'statement_malformed'],
    ['with milliseconds', { notAfter: '2027-01-01T00:00:00.000Z' }, 'statement_malformed'],
    [
      'about another BLAKE3',
      { statement: { 'subject/0/digest/blake3': '0'.repeat(64) } },
      'statement_mismatch',
    ],
    [
      'about another SHA-256',
      { statement: { 'subject/0/digest/sha256': '0'.repeat(64) } },
      'statement_mismatch',
    ],
    ['about another agent', { statement: { 'predicate/agent/name': 'other' } }, 'statement_mismatch'],
    ['about another version', { statement: { 'predicate/agent/version': '1.0.1' } }, 'statement_mismatch'],
    ['about a variant', { statement: { 'predicate/agent/variant': 'pro' } }, 'statement_mismatch'],
  ]
  for (const [what, options, code] of cases) {
    test(`${what}: invalid`, async () => {
      assert.deepEqual(await words(tampered({})), TRUSTED)
      assert.deepEqual(await words(tampered(options)), ['invalid', code])
    })
  }
})

describe('signature and files', () => {
  const other = agentTree({
    name: 'mini',
    version: '1.0.1',
    files: { 'policy.caps': ASKING['policy.caps'] ?? '' },
  })
  const trees: [what: string, tree: Tree, verdict: string, code: string][] = [
    ['no signature file', ASKING, 'unsigned', 'no_signature'],
    [
      'from another bundle',
      { ...ASKING, [SIG]: signed(other, 'release')[SIG] ?? '' },
      'invalid',
      'statement_mismatch',
    ],
    ['under another name', moved('SIGNATURES/other.sig'), 'invalid', 'not_canonical'],
    ['under another name in capitals', moved('signatures/manifest.sig'), 'invalid', 'not_canonical'],
    ['beside another file', { ...GOOD, 'SIGNATURES/more': 'x' }, 'invalid', 'not_canonical'],
    [
      'manifest changed after signing',
      manifestWith(GOOD, '[agent]', '# hello\n[agent]'),
      'invalid',
      'statement_mismatch',
    ],
    [
      'a digest changed after signing',
      manifestWith(GOOD, /("README.md" = ")[0-9a-f]/, '$10'),
      'invalid',
      'statement_mismatch',
    ],
    ['a file added', { ...GOOD, 'more.txt': '' }, 'invalid', 'manifest/digest-missing'],
    ['a file removed', without(GOOD, 'README.md'), 'invalid', 'manifest/file-missing'],
    [
      'a file renamed',
      { ...without(GOOD, 'README.md'), 'README.txt': '# mini\n' },
      'invalid',
      'manifest/digest-missing',
    ],
    [
      'two files swapped',
      { ...GOOD, 'README.md': GOOD['tools.json'] ?? '', 'tools.json': GOOD['README.md'] ?? '' },
      'invalid',
      'manifest/digest-stale',
    ],
    ['one bit of a file', { ...GOOD, 'README.md': '# mini\v' }, 'invalid', 'manifest/digest-stale'],
    [
      'the policy widened',
      { ...GOOD, 'policy.caps': `${GOOD['policy.caps']}time = true\n` },
      'invalid',
      'manifest/digest-stale',
    ],
  ]
  for (const [what, tree, verdict, code] of trees) {
    test(`${what}: ${verdict}`, async () => {
      assert.deepEqual(await words(GOOD), TRUSTED)
      const { report } = await judge(tree)
      assert.equal(report.verdict, verdict)
      assert.ok(
        report.reasons.some(reason => reason.code === code),
        JSON.stringify(report.reasons),
      )
    })
  }

  test('the signature behind another file', async () => {
    const paths = ['manifest.toml', 'README.md', SIG, 'bin/mini.wasm', 'policy.caps', 'tools.json']
    const bytes = archive(...paths.map(path => entry(path, GOOD[path] ?? '')))
    assert.deepEqual(await words(bytes), ['invalid', 'not_canonical'])
  })

  test('gzip of two members, with a name, with bytes behind it, cut off, of something else', async () => {
    const bytes = bundleOf(GOOD)
    assert.deepEqual(await words(gzip(bytes)), TRUSTED)
    const half = bytes.length >> 1
    const named = gzip(bytes)
    named[3] = 8
    for (const wrapped of [
      Buffer.concat([gzip(bytes.subarray(0, half)), gzip(bytes.subarray(half))]),
      Buffer.concat([gzip(bytes), gzip(Buffer.alloc(0))]),
      Buffer.concat([gzip(bytes), Buffer.alloc(1)]),
      gzip(bytes).subarray(0, -1),
      gzip(gzip(bytes)),
      named,
    ])
      assert.deepEqual(await words(wrapped), ['invalid', 'not_canonical'])
  })
})

describe('trust', () => {
  const two = (require: string) => `${POLICY}\n[require]\n${require}\n`
  const attesting = (use: string, more = '') =>
    `[anchors]\nrelease = { key = "${KEYS.release.anchor}", use = ${use} }\n${more}`
  const UNCOUNTED = ['untrusted', 'no_counted_signature'] as const
  const UNTIL = `valid_until = "2027-01-01T00:00:00Z"\n${POLICY}`
  const revoked = (what: string) => `${POLICY}\n[revoked]\n"${what}" = { reason = "lost" }\n`
  const rule = (text: string) => POLICY.replace(/^release = \{.*$/m, `release = { ${text} }`)
  const further = POLICY.replace(
    `release = "${KEYS.release.anchor}"`,
    `release = { keys = ["${KEYS.release.anchor}", "${KEYS.second.anchor}"] }`,
  )
  const all = 'allow_caps = ["kb_read:drafts"], allow_net = ["api.mail.example:443"], allow_exec = true'
  const union = `${rule('allow_caps = ["kb_read:drafts"]')}security = { allow_net = ["api.mail.example"], allow_exec = true }\n`
  const digest = bundleDigest()
  const cases: [
    what: string,
    keys: Parameters<typeof signed>[1],
    options: JudgeOptions,
    words: readonly [string, string?],
  ][] = [
    ['a key that is no anchor', 'stranger', {}, ['untrusted', 'no_counted_signature']],
    ['dev without the flag', 'dev', {}, ['untrusted', 'no_counted_signature']],
    ['dev with the flag', 'dev', { allowDev: true }, ['trusted']],
    ['an anchor without a rule', 'security', {}, ['policy_denied', 'no_rule']],
    [
      'one signature for a threshold of two',
      'release',
      { policies: [two('signatures = 2')] },
      ['untrusted', 'too_few_signatures'],
    ],
    [
      'two signatures for a threshold of two',
      ['release', 'security'],
      { policies: [two('signatures = 2')] },
      ['trusted'],
    ],
    [
      'a stranger for the second',
      ['release', 'stranger'],
      { policies: [two('signatures = 2')] },
      ['untrusted', 'too_few_signatures'],
    ],
    [
      'two keys of one anchor for a threshold of two',
      ['release', 'second'],
      { policies: [`${further}\n[require]\nsignatures = 2\n`] },
      ['untrusted', 'too_few_signatures'],
    ],
    ['either key of an anchor', 'second', { policies: [further] }, ['trusted']],
    [
      'without the required anchor',
      'release',
      { policies: [two('anchors = ["security"]')] },
      ['untrusted', 'required_signature_missing'],
    ],
    [
      'with the required anchor',
      ['release', 'security'],
      { policies: [two('anchors = ["security"]')] },
      ['trusted'],
    ],
    [
      'a required anchor whose rule is narrower',
      ['release', 'security'],
      { policies: [`${two('anchors = ["security"]')}\n[rules.security]\nallow_caps = []\n`] },
      ['policy_denied', 'beyond_ceiling'],
    ],
    [
      'ceilings that only a union would meet',
      ['release', 'security'],
      { policies: [union] },
      ['policy_denied', 'beyond_ceiling'],
    ],
    [
      'a signer without exec',
      'release',
      { policies: [rule(all.replace('true', 'false'))] },
      ['policy_denied', 'beyond_ceiling'],
    ],
    [
      'a signer with another port',
      'release',
      { policies: [rule(all.replace(':443', ':8443'))] },
      ['policy_denied', 'beyond_ceiling'],
    ],
    ['a signer with every port', 'release', { policies: [rule(all.replace(':443', ''))] }, ['trusted']],
    [
      'a signer with another host',
      'release',
      { policies: [rule(all.replace('api.', 'www.'))] },
      ['policy_denied', 'beyond_ceiling'],
    ],
    [
      'a signer with another domain of knowledge',
      'release',
      { policies: [rule(all.replace('drafts', 'notes'))] },
      ['policy_denied', 'beyond_ceiling'],
    ],
    ['a signer with all knowledge', 'release', { policies: [rule(all.replace(':drafts', ''))] }, ['trusted']],
    [
      'any capability is neither net nor exec',
      'release',
      { policies: [rule('allow_caps = "any"')] },
      ['policy_denied', 'beyond_ceiling'],
    ],
    [
      'a rule for another agent',
      'release',
      { policies: [rule(`${all}, agents = ["other"]`)] },
      ['policy_denied', 'rule_for_other_agents'],
    ],
    [
      'a rule for a variant',
      'release',
      { policies: [rule(`${all}, agents = ["mini@pro"]`)] },
      ['policy_denied', 'rule_for_other_agents'],
    ],
    [
      'another agent’s good bundle under this name',
      'release',
      { expect: 'mailer' },
      ['untrusted', 'unexpected_agent'],
    ],
    ['another version', 'release', { expect: 'mini@^2' }, ['untrusted', 'unexpected_agent']],
    ['a key that only attests', 'release', { policies: [attesting('["attest"]')] }, UNCOUNTED],
    [
      'a key that attests too',
      'release',
      { policies: [attesting('["attest", "sign"]', `[rules]\nrelease = { ${all} }\n`)] },
      ['trusted'],
    ],
    [
      'a key that only attests beside one that signs',
      ['release', 'security'],
      { policies: [attesting('["attest"]', `security = "${KEYS.security.anchor}"\n`)] },
      ['policy_denied', 'no_rule'],
    ],
    [
      'a revoked key that only attests',
      'release',
      { policies: [`${attesting('["attest"]')}[revoked]\n"${KEYS.release.anchor}" = {}\n`] },
      UNCOUNTED,
    ],
    [
      'a policy that is still valid',
      'release',
      { policies: [UNTIL], now: '2027-01-01T00:00:00Z' },
      ['trusted'],
    ],
    [
      'a policy whose time is over',
      'release',
      { policies: [UNTIL], now: '2027-01-01T00:00:01Z' },
      ['indeterminate', 'trust_policy_unusable'],
    ],
    [
      'one policy of two whose time is over',
      'release',
      { policies: [POLICY, UNTIL], now: '2027-01-01T00:00:01Z' },
      ['indeterminate', 'trust_policy_unusable'],
    ],
    ['a revoked key', 'release', { policies: [revoked(KEYS.release.anchor)] }, ['revoked', 'key_revoked']],
    [
      'a revoked key written in hex',
      'release',
      { policies: [revoked(`ed25519:${KEYS.release.raw.toString('hex')}`)] },
      ['indeterminate', 'trust_policy_unusable'],
    ],
    [
      'a revoked key beside a good one',
      ['dev', 'release'],
      { allowDev: true, policies: [revoked(KEYS.release.anchor)] },
      ['trusted'],
    ],
    [
      'a revoked key of no anchor',
      'stranger',
      { policies: [revoked(KEYS.stranger.anchor)] },
      ['untrusted', 'no_counted_signature'],
    ],
    [
      'a revoked development key without the flag',
      'dev',
      { policies: [revoked(KEYS.dev.anchor)] },
      ['untrusted', 'no_counted_signature'],
    ],
    [
      'a revoked development key',
      'dev',
      { allowDev: true, policies: [revoked(KEYS.dev.anchor)] },
      ['revoked', 'key_revoked'],
    ],
    [
      'a revoked key that may not grant it either',
      'security',
      { policies: [revoked(KEYS.security.anchor)] },
      ['revoked', 'key_revoked'],
    ],
    [
      'a revoked bundle',
      'release',
      { policies: [revoked(`blake3:${digest}`)] },
      ['revoked', 'bundle_revoked'],
    ],
    [
      'a revoked bundle in capitals',
      'release',
      { policies: [revoked(`blake3:${digest.toUpperCase()}`)] },
      ['indeterminate', 'trust_policy_unusable'],
    ],
    ['another revoked bundle', 'release', { policies: [revoked(`blake3:${'0'.repeat(64)}`)] }, ['trusted']],
    ['no policy', 'release', { policies: [] }, ['indeterminate', 'no_trust_policy']],
    [
      'a malformed policy',
      'release',
      { policies: [`${POLICY}\n[more]\n`] },
      ['indeterminate', 'trust_policy_unusable'],
    ],
    [
      'a malformed policy beside a good one',
      'release',
      { policies: [POLICY, 'x'] },
      ['indeterminate', 'trust_policy_unusable'],
    ],
    ['two policies that both say yes', 'release', { policies: [POLICY, POLICY] }, ['trusted']],
    [
      'two policies of which one has no anchor',
      'release',
      { policies: [POLICY, '[anchors]\n'] },
      ['untrusted', 'no_counted_signature'],
    ],
    [
      'two policies of which one grants less',
      'release',
      { policies: [POLICY, rule('')] },
      ['policy_denied', 'beyond_ceiling'],
    ],
    [
      'two policies of which one revokes',
      'release',
      { policies: [revoked(KEYS.release.anchor), POLICY] },
      ['revoked', 'key_revoked'],
    ],
    [
      'two policies with other names for the signer',
      'release',
      { policies: [POLICY, POLICY.replace(/^release/gm, 'ours')] },
      ['trusted'],
    ],
  ]
  for (const [what, keys, options, expected] of cases) {
    test(`${what}: ${expected[0]}`, async () => {
      const [verdict, code] = await words(signed(ASKING, keys), options)
      assert.deepEqual([verdict, code], [expected[0], expected[1]])
    })
  }

  test('an end', async () => {
    const tree = tampered({ notAfter: '2026-11-20T12:00:00Z' })
    assert.deepEqual(await words(tree, { now: '2026-11-20T12:00:00Z' }), TRUSTED)
    assert.deepEqual(await words(tree, { now: '2026-11-20T12:00:01Z' }), ['expired', 'expired'])
  })

  test('marks', async () => {
    const mark = { agent: 'mini', version: '1.0.0', manifestDigest: digest, keys: [KEYS.release.anchor] }
    assert.deepEqual(await words(GOOD, { marks: [mark] }), TRUSTED)
    const older = { ...mark, version: '1.0.1' }
    assert.deepEqual(await words(GOOD, { marks: [older] }), ['rolled_back', 'older'])
    assert.deepEqual(await words(GOOD, { marks: [{ ...mark, manifestDigest: '0'.repeat(64) }] }), [
      'rolled_back',
      'other_content',
    ])
    assert.deepEqual(await words(GOOD, { marks: [{ ...older, agent: 'other' }] }), TRUSTED)
  })

  test('the mark belongs to the agent: the keys and names of signers change nothing', async () => {
    const policies = [POLICY.replace('release =', 'ours =').replace('release =', 'ours =')]
    for (const keys of [[KEYS.release.anchor], [KEYS.security.anchor], [KEYS.stranger.anchor], []]) {
      const mark = { agent: 'mini', version: '1.0.0', manifestDigest: digest, keys }
      assert.deepEqual(await words(GOOD, { marks: [mark], policies }), TRUSTED)
      const older = { ...mark, version: '1.0.1' }
      assert.deepEqual(await words(GOOD, { marks: [older], policies }), ['rolled_back', 'older'])
      assert.deepEqual(await words(GOOD, { marks: [older] }), ['rolled_back', 'older'])
      const other = { ...mark, manifestDigest: '0'.repeat(64) }
      assert.deepEqual(await words(GOOD, { marks: [other], policies }), ['rolled_back', 'other_content'])
    }
  })

  test('a mark that a reset has set bounds the version and not its content', async () => {
    const floor = (version: string) => ({
      marks: [{ agent: 'mini', version, manifestDigest: null, keys: [] }],
      wasSigned: true,
    })
    for (const version of ['0.9.0', '1.0.0', '1.0.0+other'])
      assert.deepEqual(await words(GOOD, floor(version)), TRUSTED, version)
    assert.deepEqual(await words(GOOD, floor('1.0.1')), ['rolled_back', 'older'])
  })

  test('allowDowngrade waives an older version, never other content under the same version', async () => {
    const mark = { agent: 'mini', version: '1.0.1', manifestDigest: digest, keys: [] }
    const allowed = await judge(GOOD, { allowDowngrade: true, marks: [mark] })
    assert.deepEqual([wordsOf(allowed), allowed.bundle !== undefined], [['rolled_back', 'older'], true])
    const other = { ...mark, version: '1.0.0', manifestDigest: '0'.repeat(64) }
    const refused = await judge(GOOD, { allowDowngrade: true, marks: [other] })
    assert.deepEqual([wordsOf(refused), refused.bundle], [['rolled_back', 'other_content'], undefined])
    const both = await judge(tampered({ notAfter: '2020-01-01T00:00:00Z' }), {
      allowDowngrade: true,
      marks: [mark],
    })
    assert.deepEqual([wordsOf(both)[0], both.bundle], ['expired', undefined])
  })

  test('a stripped signature does not get around anything', async () => {
    const stripped = (options: JudgeOptions) => words(ASKING, { allowUnsigned: true, ...options })
    assert.deepEqual(await stripped({}), ['unsigned', 'no_signature'])
    assert.equal((await judge(ASKING, { allowUnsigned: true })).bundle === undefined, false)
    const refused: [JudgeOptions, string, string][] = [
      [{ policies: [two('signatures = 1')] }, 'unsigned', 'no_signature'],
      [
        { marks: [{ agent: 'mini', version: '0.1.0', manifestDigest: '', keys: [] }] },
        'unsigned',
        'no_signature',
      ],
      // After a reset there is no mark, and it was installed signed all the same.
      [{ wasSigned: true }, 'unsigned', 'no_signature'],
      [{ policies: [revoked(`blake3:${digest}`)] }, 'revoked', 'bundle_revoked'],
      [{ policies: ['x'] }, 'indeterminate', 'trust_policy_unusable'],
      [{ expect: 'other' }, 'untrusted', 'unexpected_agent'],
    ]
    for (const [options, verdict, code] of refused) {
      assert.deepEqual(await stripped(options), [verdict, code])
      assert.equal((await judge(ASKING, { allowUnsigned: true, ...options })).bundle, undefined, verdict)
    }
  })
})

function bundleDigest(): string {
  const [, digest = ''] =
    /"blake3":"([0-9a-f]{64})"/.exec(payloadOf(signatureFile(ASKING, [KEYS.release]))) ?? []
  return digest
}

function payloadOf(envelope: string | Uint8Array): string {
  return Buffer.from(JSON.parse(String(envelope)).payload, 'base64').toString()
}

function moved(path: string): Tree {
  return { ...without(GOOD, SIG), [path]: GOOD[SIG] ?? '' }
}

function without(tree: Tree, path: string): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([name]) => name !== path))
}

/** As `rlp agent pack --gzip` and `gzip -n` write it. */
function gzip(bytes: Uint8Array): Buffer {
  const wrapped = gzipSync(bytes)
  wrapped.fill(0, 4, 9)
  wrapped[9] = 3
  return wrapped
}

function reordered(text: string): string {
  const { payloadType, payload, signatures } = JSON.parse(text)
  return JSON.stringify({ payload, payloadType, signatures })
}

function unpad(envelope: { payload: string }): void {
  assert.match(envelope.payload, /=$/)
  envelope.payload = envelope.payload.replace(/=+$/, '')
}

interface Entry {
  keyid: string
  sig: string
}

/** Good signatures by so many new keys, beside `others`. */
function many(count: number, payload: string, others: Entry[] = []): Entry[] {
  const made = Array.from({ length: count }, () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
    const sig = signWith(null, preAuth(Buffer.from(payload, 'base64')), privateKey).toString('base64')
    return { keyid: `ed25519:${raw.toString('base64')}`, sig }
  })
  return [...others, ...made].sort((a, b) => (a.keyid < b.keyid ? -1 : 1))
}

function resign(
  envelope: { payload: string; signatures: Entry[] },
  encode: (payload: Buffer) => Buffer,
): void {
  const message = encode(Buffer.from(envelope.payload, 'base64'))
  envelope.signatures = [
    { keyid: KEYS.release.anchor, sig: signWith(null, message, KEYS.release.private).toString('base64') },
  ]
}

describe('a capability family that this build does not know', () => {
  const any = `[anchors]
release = "${KEYS.release.anchor}"
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
`
  const judged = async (caps: string) => {
    const tree = agentTree({ files: { 'policy.caps': caps } })
    return judge(signed(tree, 'release'), { policies: [any] })
  }

  test('is inside no rule, not even "any"', async () => {
    assert.deepEqual(wordsOf(await judged('[capabilities]\ntime = true\n')), ['trusted', undefined])
    for (const value of ['true', '["all"]', 'false']) {
      const answer = await judged(`[capabilities]\ntime = true\ngpu = ${value}\n`)
      assert.deepEqual(wordsOf(answer), ['policy_denied', 'beyond_ceiling'], value)
      assert.match(answer.report.reasons[0]?.message ?? '', /release may not grant "gpu"/)
    }
  })
})
