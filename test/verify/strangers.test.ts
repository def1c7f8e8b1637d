// Strangers' content is not parsed: what a bundle holds decides its verdict only when its signers are trusted, or when a
// missing signature is allowed by name. And what is revoked is told, whatever else is wrong.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { verify } from '../../src/verify/verify.ts'
import { agentTree, bundleOf, digestOf, type Tree } from '../support/agent.ts'
import { ASKING, type JudgeOptions, judge, KEYS, POLICY, signed, wordsOf } from '../support/trust-world.ts'

/** What an agent may hold that a reader of its contents refuses. */
const BROKEN: Readonly<Record<string, Record<string, string>>> = {
  'policy.caps': { 'policy.caps': '[capabilities\n' },
  'tools.json': { 'tools.json': '{"version":1,"tools":[{}]}' },
  'a schema': { 'schemas/a.json': '{"type":"objekt"}' },
  'a record': { 'interfaces.json': '{' },
  wasm: { 'bin/mini.wasm': 'no module' },
}
const holding = (files: Record<string, string>) => agentTree({ name: 'mini', files })
const revokedKey = `${POLICY}\n[revoked]\n"${KEYS.release.anchor}" = { reason = "laptop lost" }\n`

describe('contents that are wrong', () => {
  for (const [what, files] of Object.entries(BROKEN)) {
    const tree = holding(files)
    const cases: [who: string, tree: Tree, options: JudgeOptions, verdict: string][] = [
      ['signed by someone trusted', signed(tree, 'release'), {}, 'invalid'],
      ['unsigned, and that is allowed', tree, { allowUnsigned: true }, 'invalid'],
      ['unsigned', tree, {}, 'unsigned'],
      ['signed by a stranger', signed(tree, 'stranger'), {}, 'untrusted'],
      ['signed with a revoked key', signed(tree, 'release'), { policies: [revokedKey] }, 'revoked'],
      ['signed where there is no policy', signed(tree, 'release'), { policies: [] }, 'indeterminate'],
      [
        'signed by someone whom only one of two policies trusts',
        signed(tree, 'release'),
        { policies: [POLICY, POLICY.replaceAll(KEYS.release.anchor, KEYS.second.anchor)] },
        'untrusted',
      ],
    ]
    for (const [who, bundle, options, verdict] of cases) {
      test(`${what}, ${who}: ${verdict}`, async () => {
        const { report, agent } = await judge(bundle, options)
        assert.equal(report.verdict, verdict)
        const isExamined = verdict === 'invalid'
        assert.deepEqual(
          [...(agent?.documents.keys() ?? []), ...(agent?.unreadable ?? []).map(({ path }) => path)].length >
            1,
          isExamined,
        )
        assert.equal(
          report.skipped.some(line => line.includes('were not examined')),
          !isExamined,
        )
        assert.equal(report.findings.length > 0, isExamined)
      })
    }
  }

  test('are not read where a file differs from its digest, whatever key signed', async () => {
    const tree = { ...signed(ASKING, 'release'), 'tools.json': '{"version":' }
    const { report, agent } = await judge(tree)
    assert.equal(report.verdict, 'invalid')
    assert.equal(agent?.unreadable.length, 0)
    assert.deepEqual([...(agent?.documents.keys() ?? [])], ['manifest.toml'])
  })

  test('are shown to a person who looks, and change no word', async () => {
    const candidate = await readBundle(bundleOf(holding(BROKEN['tools.json'] ?? {})), { keep: 'parsed' })
    const seen = async (look: boolean) => verify(await outline(candidate), { expect: 'any', look })
    assert.equal((await seen(false)).report.verdict, 'unsigned')
    const { report } = await seen(true)
    assert.equal(report.verdict, 'unsigned')
    const check = report.checks.find(({ step }) => step === 'schemas')
    assert.deepEqual([check?.result, check?.reasons[0]?.code], ['failed', 'tools/shape'])
  })
})

describe('what is revoked', () => {
  const bundle = `${POLICY}\n[revoked]\n"blake3:${digestOf(ASKING['manifest.toml'] ?? '')}" = { reason = "leaks a token" }\n`

  test('a bundle: signed or stripped, with or without the flag', async () => {
    assert.deepEqual(wordsOf(await judge(signed(ASKING, 'release'))), ['trusted', undefined])
    for (const tree of [signed(ASKING, 'release'), signed(ASKING, 'stranger'), ASKING]) {
      for (const allowUnsigned of [false, true]) {
        const { report, bundle: accepted } = await judge(tree, { policies: [bundle], allowUnsigned })
        assert.deepEqual([report.verdict, report.reasons[0]?.code], ['revoked', 'bundle_revoked'])
        assert.equal(accepted, undefined)
      }
    }
  })

  test('a key, whatever its signer may grant', async () => {
    const denied = revokedKey.replace('allow_exec = true, agents', 'allow_exec = false, agents')
    const control = denied.slice(0, denied.indexOf('[revoked]'))
    assert.equal(
      (await judge(signed(ASKING, 'release'), { policies: [control] })).report.verdict,
      'policy_denied',
    )
    assert.deepEqual(wordsOf(await judge(signed(ASKING, 'release'), { policies: [denied] })), [
      'revoked',
      'key_revoked',
    ])
  })

  const besides: [what: string, tree: Tree, options: JudgeOptions, verdict: string][] = [
    ['a file that was changed', { ...signed(ASKING, 'release'), 'README.md': 'x' }, {}, 'invalid'],
    [
      'a malformed policy',
      signed(ASKING, 'release'),
      { policies: [revokedKey, '[unknown]\n'] },
      'indeterminate',
    ],
    [
      'a requirement that is not met either way',
      signed(ASKING, 'release'),
      { policies: [`${revokedKey}\n[require]\nanchors = ["security"]\n`] },
      'untrusted',
    ],
    ['another agent than expected', signed(ASKING, 'release'), { expect: 'other' }, 'revoked'],
    ['its end', signed(ASKING, 'release', { notAfter: '2020-01-01T00:00:00Z' }), {}, 'revoked'],
  ]
  for (const [what, tree, options, verdict] of besides) {
    test(`a key, and ${what}: ${verdict}, and the reason is told`, async () => {
      const { report } = await judge(tree, { policies: [revokedKey], ...options })
      assert.equal(report.verdict, verdict)
      assert.ok(
        report.reasons.some(({ code, message }) => code === 'key_revoked' && message.includes('laptop lost')),
        JSON.stringify(report.reasons),
      )
    })
  }
})
