// What two readers could read differently is refused: a fraction where a whole number is meant, a fixed file named outside its own table.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { agentTree, digestOf, type Tree } from '../support/agent.ts'
import { judge, KEYS, POLICY, policySource, signed } from '../support/trust-world.ts'

const TREE = agentTree({ name: 'mini', files: { 'README.md': '# mini\n' } })
const withManifest = (change: (text: string) => string): Tree => {
  const before = String(TREE['manifest.toml'])
  const after = change(before)
  assert.notEqual(after, before)
  return { ...TREE, 'manifest.toml': after }
}
const said = async (tree: Tree) => {
  const { report } = await judge(signed(tree, 'release'))
  return [report.verdict, report.reasons[0]?.code]
}

describe('a whole number', () => {
  test('is written without a fraction in the manifest', async () => {
    assert.deepEqual(await said(TREE), ['trusted', undefined])
    for (const version of ['1.0', '1e0', '1.0e0'])
      assert.deepEqual(
        await said(withManifest(text => text.replace(/^version = 1$/m, `version = ${version}`))),
        ['invalid', 'manifest/shape'],
        version,
      )
  })

  test('and in [require]', () => {
    const of = (number: string) => policySource(`${POLICY}\n[require]\nsignatures = ${number}\n`)
    assert.deepEqual(of('1').policy?.require, { anchors: [], signatures: 1 })
    for (const number of ['1.0', '1e0', '2e0']) {
      assert.equal(of(number).policy, undefined)
      assert.match(of(number).problems[0] ?? '', /written as a whole number: [12]$/)
    }
  })
})

describe('tools.json and policy.caps', () => {
  for (const [path, table] of [
    ['tools.json', 'tools'],
    ['policy.caps', 'policy'],
  ] as const) {
    const listed = (text: string) =>
      text
        .replace(new RegExp(`\\[artifacts\\.${table}\\]\\n(?:[^\\[\\n]*\\n)*`), '')
        .replace('[artifacts.files]\n', `[artifacts.files]\n"${path}" = "${digestOf(TREE[path] ?? '')}"\n`)

    test(`${path} listed under [artifacts.files] is invalid`, async () => {
      const { report } = await judge(signed(withManifest(listed), 'release'))
      assert.equal(report.verdict, 'invalid')
      const codes = report.reasons.map(({ code }) => code)
      assert.ok(codes.includes('manifest/fixed-path'), codes.join(' '))
    })
  }
})

describe('a trust policy has one spelling', () => {
  const key = KEYS.second.anchor
  const raw = KEYS.second.raw
  const digest = `blake3:${'ab'.repeat(32)}`
  const revoked = (text: string) => `${POLICY}\n[revoked]\n${text}\n`
  const anchor = (text: string) => POLICY.replace('[anchors]\n', `[anchors]\nextra = ${text}\n`)
  const since = (text: string) => revoked(`"${key}" = { since = ${text} }`)
  const spellings: [what: string, of: (text: string) => string, right: string, wrong: string[]][] = [
    ['of a signer’s key', anchor, `"${key}"`, [`"ed25519:${raw.toString('hex')}"`]],
    [
      'of a key in a table',
      text => anchor(`{ key = ${text} }`),
      `"${key}"`,
      [`"ed25519:${raw.toString('hex')}"`],
    ],
    [
      'of a key in a list',
      text => anchor(`{ keys = [${text}] }`),
      `"${key}"`,
      [`"ed25519:${raw.toString('hex').toUpperCase()}"`],
    ],
    ['of a revoked key', text => revoked(`${text} = {}`), `"${key}"`, [`"ed25519:${raw.toString('hex')}"`]],
    [
      'of a new key',
      text => revoked(`"${key}" = { replaced_by = ${text} }`),
      `"${key}"`,
      [`"ed25519:${raw.toString('hex')}"`],
    ],
    [
      'of a digest',
      text => revoked(`${text} = {}`),
      `"${digest}"`,
      [`"blake3:${'AB'.repeat(32)}"`, `"blake3:${'aB'.repeat(32)}"`],
    ],
    [
      'of a day',
      since,
      '"2026-11-01"',
      ['2026-11-01', '2026-11-01T10:00:00Z', '2026-11-01 10:00:00', '"2026-11-01T10:00:00Z"'],
    ],
  ]
  for (const [what, of, right, wrong] of spellings) {
    test(what, async () => {
      assert.deepEqual(policySource(of(right)).problems, [])
      for (const text of wrong) {
        const { policy, problems } = policySource(of(text), 'p.toml')
        assert.equal(policy, undefined, text)
        const line =
          of(text)
            .split('\n')
            .findIndex(one => one.includes(text)) + 1
        assert.equal(problems.length, 1, problems.join('\n'))
        assert.match(problems[0] ?? '', new RegExp(`^p\\.toml:${line}:\\d+: `))
        assert.ok(
          problems[0]?.includes(`write ${right}`) || problems[0]?.endsWith(`written ${right}`),
          problems[0],
        )
        const { report } = await judge(signed(TREE, 'release'), { policies: [of(text)] })
        assert.equal(report.verdict, 'indeterminate')
      }
    })
  }

  test('of a name in a list: a date without quotes is no name, even if an anchor is called so', () => {
    const named = (text: string) =>
      policySource(`[anchors]\n2026-11-01 = "${key}"\n[require]\nanchors = [${text}]\n`).problems
    assert.deepEqual(named('"2026-11-01"'), [])
    assert.match(named('2026-11-01')[0] ?? '', /^trust-policy\.toml:4:12: "2026-11-01": it is not a text$/)
  })

  test('of a reason: a date without quotes is no text', () => {
    assert.match(
      policySource(revoked(`"${key}" = { reason = 2026-11-01 }`)).problems[0] ?? '',
      /a text in quotes$/,
    )
  })
})
